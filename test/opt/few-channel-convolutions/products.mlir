// A convolution to few channels is a product over its input channels and a sum over its window: with padding, whose
// elements are 0 times the weight, a stride, groups, a bias, a batch of any size. Many channels, and few that are read,
// stay a convolution, as do dtypes in which what lies between the two sums would be rounded too far.
// RUN: mlgc opt %s --few-channel-convolutions -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc opt %s --few-channel-convolutions --verify-each=numeric -o /dev/null
// RUN: mlgc opt %s --numerics=exact --few-channel-convolutions | FileCheck %s --check-prefix=EXACT
// RUN: mlgc eval %s --function=far --input=x=1x16x3xf32=1 --input=w=1x16x3xf32=inf | FileCheck %s --check-prefix=FAR
// RUN: mlgc eval %t.mlir --function=far --input=x=1x16x3xf32=1 --input=w=1x16x3xf32=inf | FileCheck %s --check-prefix=FAR
// RUN: mlgc eval %s --function=strided --backend=cpp -O2 --random-inputs=1 --compare=interp
// CHECK-LABEL: func @few
// CHECK: %[[P:.*]] = matmul %{{.*}}, %{{.*}} : tensor<[B]x18x108xf32>
// CHECK: %[[ZERO:.*]] = mul %{{.*}} {other = 0.0} : tensor<18x64xf32>
// CHECK: compute %{{.*}}, %{{.*}} {formula = "y[b, g, o, i0, i1] = sum[j0, j1](x0[b, g, j0, j1, o, i0 + j0 - 1, i1 + j1 - 1]?x1[g, j0, j1, o])
// CHECK: add %{{.*}}, %{{.*}} : tensor<[B]x2x9x12xf32>
// CHECK-LABEL: func @groups
// CHECK: matmul %{{.*}}, %{{.*}} : tensor<2x2x4x256xf32>
// CHECK-LABEL: func @strided
// CHECK: matmul %{{.*}}, %{{.*}} : tensor<2x54x792xf32>
// CHECK: x0[b, g, j0, j1, j2, o, 2*i0 + j0 - 1, 2*i1 + j1 - 1, 2*i2 + j2 - 1]
// CHECK-LABEL: func @many
// CHECK: conv1d
// CHECK-LABEL: func @few_read
// CHECK: conv1d
// CHECK-LABEL: func @half
// CHECK: conv1d
// CHECK-LABEL: func @far
// CHECK-NOT: conv1d
// EXACT-COUNT-7: conv
// FAR: nan, inf, nan
func @few(%x: tensor<[B]x64x9x12xf32>, %w: tensor<2x64x3x3xf32>, %b: tensor<2xf32>) -> tensor<[B]x2x9x12xf32> {
  %0 = conv2d %x, %w, %b {padding = [1, 1]}
  return %0
}
func @groups(%x: tensor<2x74x16x16xf32>, %w: tensor<2x37x2x2xf32>) -> tensor<2x2x15x15xf32> {
  %0 = conv2d %x, %w {groups = 2}
  return %0
}
func @strided(%x: tensor<2x24x8x9x11xf32>, %w: tensor<2x24x3x3x3xf32>) -> tensor<2x2x4x5x6xf32> {
  %0 = conv3d %x, %w {padding = [1, 1, 1], stride = [2, 2, 2]}
  return %0
}
func @many(%x: tensor<2x64x30xf32>, %w: tensor<64x64x3xf32>) -> tensor<2x64x28xf32> {
  %0 = conv1d %x, %w
  return %0
}
func @few_read(%x: tensor<2x3x30xf32>, %w: tensor<2x3x3xf32>) -> tensor<2x2x28xf32> {
  %0 = conv1d %x, %w
  return %0
}
func @half(%x: tensor<2x64x30xf16>, %w: tensor<2x64x3xf16>) -> tensor<2x2x28xf16> {
  %0 = conv1d %x, %w
  return %0
}
func @far(%x: tensor<1x16x3xf32>, %w: tensor<1x16x3xf32>) -> tensor<1x1x3xf32> {
  %0 = conv1d %x, %w {padding = [1]}
  return %0
}
