// What a contraction reads through windows is moved once, beforehand, where it changes which elements follow each other,
// or fills some in; a slice, which does neither, is index arithmetic. A permutation behind it that would leave rows of 3
// is a kernel of its own; one that keeps long rows is not. All of that holds for the convolutions of groups, where several
// channels share a group's elements; what is joined behind one of them is no part of its kernel.
// RUN: mlgc explain fusion %s | FileCheck %s
// CHECK: @padded: 2 kernels
// CHECK: apart %p of pad by %y = conv2d {{.*}} contraction: a contraction reads each element of its operands many times
// CHECK: @permuted: 2 kernels
// CHECK: apart %p of permute by %y = conv2d {{.*}} contraction:
// CHECK: @sliced: 1 kernel,
// CHECK: fused %p of slice by %y = conv2d {{.*}} movement:
// CHECK: @short: 2 kernels
// CHECK: apart %y of conv2d by %z = permute {{.*}} order: moved like this, the rows that a contraction writes would be too short for vectors; needs an order of dims that ends with a longer one
// CHECK: @long: 1 kernel,
// CHECK: fused %y of conv2d by %z = permute
// CHECK: @groups: 2 kernels
// CHECK: apart %p of pad by %y = conv2d {{.*}} contraction:
// CHECK: @joined: 2 kernels
// CHECK: kernel {{.*}}: contraction, 1 op (conv2d)
// CHECK: apart %y of conv2d by %z = cat {{.*}} contraction:
func @padded(%x: tensor<2x16x30x30xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x16x30x30xf32> {
  %p = pad %x {pad = [1, 1, 1, 1]}
  %y = conv2d %p, %w
  return %y
}
func @permuted(%x: tensor<2x30x30x16xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x16x28x28xf32> {
  %p = permute %x {dims = [0, 3, 1, 2]}
  %y = conv2d %p, %w
  return %y
}
func @sliced(%x: tensor<2x16x40x30xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x16x28x28xf32> {
  %p = slice %x {dim = 2, start = 5, end = 35}
  %y = conv2d %p, %w
  return %y
}
func @short(%x: tensor<2x16x30x30xf32>, %w: tensor<3x16x3x3xf32>) -> tensor<2x28x28x3xf32> {
  %y = conv2d %x, %w
  %z = permute %y {dims = [0, 2, 3, 1]}
  return %z
}
func @long(%x: tensor<2x16x30x30xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<2x28x28x32xf32> {
  %y = conv2d %x, %w
  %z = permute %y {dims = [0, 2, 3, 1]}
  return %z
}
func @groups(%x: tensor<2x16x30x30xf32>, %w: tensor<16x4x3x3xf32>) -> tensor<2x16x30x30xf32> {
  %p = pad %x {pad = [1, 1, 1, 1]}
  %y = conv2d %p, %w {groups = 4}
  return %y
}
func @joined(%x: tensor<2x16x30x30xf32>, %w: tensor<16x4x3x3xf32>, %o: tensor<2x3x28x28xf32>) -> tensor<2x19x28x28xf32> {
  %y = conv2d %x, %w {groups = 4}
  %z = cat %y, %o {dim = 1}
  return %z
}
