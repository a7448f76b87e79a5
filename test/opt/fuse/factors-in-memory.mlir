// A convolution computes cheap ops where it reads, once for each place of a window. With `factors-in-memory`, as for GPUs, whose
// matrix units take tiles from memory, they are kernels of their own; what only moves elements, and what follows, is not.
// RUN: mlgc explain fusion %s | FileCheck %s --check-prefix=PLACE
// RUN: mlgc explain fusion %s --factors-in-memory | FileCheck %s --check-prefix=MEMORY
// RUN: mlgc opt %s --pass-pipeline='fuse{factors-in-memory=true}' | FileCheck %s --check-prefix=FUSED
// PLACE: @activated: 1 kernel,
// PLACE: @joined: 1 kernel,
// PLACE: @followed: 1 kernel,
// MEMORY: @activated: 2 kernels,
// MEMORY: apart %p of relu by %y = conv2d {{.*}} contraction: a contraction reads each element of its operands many times
// MEMORY: @joined: 2 kernels,
// MEMORY: apart %p of cat by %y = conv2d {{.*}} contraction:
// MEMORY: @followed: 1 kernel,
// MEMORY: fused %p of slice by %y = conv2d {{.*}} movement:
// MEMORY: fused %y of conv2d by %z = relu {{.*}} epilogue:
// FUSED-LABEL: func @joined
// FUSED:         fusion {{.*}} attributes {kind = "pointwise"} {
// FUSED-NEXT:      cat
// FUSED:         fusion {{.*}} attributes {kind = "contraction"} {
// FUSED-NEXT:      conv2d
func @activated(%x: tensor<2x16x30x30xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x16x28x28xf32> {
  %p = relu %x
  %y = conv2d %p, %w
  return %y
}
func @joined(%a: tensor<2x8x30x30xf32>, %b: tensor<2x8x30x30xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x16x28x28xf32> {
  %p = cat %a, %b {dim = 1}
  %y = conv2d %p, %w
  return %y
}
func @followed(%x: tensor<2x32x30x30xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<2x16x28x28xf32> {
  %p = slice %x {dim = 1, start = 8, end = 24}
  %y = conv2d %p, %w
  %z = relu %y
  return %z
}
