// A transposed convolution is an ordinary one for each number of taps that its phases have; what it computes stays: with
// groups, padding, a last part that no tap reaches (output_padding), fewer taps than phases, a dilation without stride,
// one with a stride, of which phases that no tap reaches are zero, a batch and an image of any size. No tap is computed that the transposed one does not have, so infinities stay where
// they are.
// RUN: mlgc opt %s --transposed-convolutions -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc opt %s --transposed-convolutions --verify-each=numeric -o /dev/null
// RUN: mlgc opt %s --numerics=exact --transposed-convolutions | FileCheck %s --check-prefix=EXACT
// RUN: mlgc eval %s --function=far --input=x=1x1x3xf32=inf,1,2 --input=w=1x1x3xf32=1,2,3 | FileCheck %s --check-prefix=FAR
// RUN: mlgc eval %t.mlir --function=far --input=x=1x1x3xf32=inf,1,2 --input=w=1x1x3xf32=1,2,3 | FileCheck %s --check-prefix=FAR
// CHECK-LABEL: func @two
// CHECK-COUNT-4: conv2d %x, %{{.*}} {dilation = [1, 1], groups = 1, padding = [1, 1]} : tensor<[B]x6x[H + {{.*}}]x{{.*}}xf32>
// CHECK-NOT: conv
// CHECK-LABEL: func @groups
// CHECK: conv1d %x, %{{.*}} {dilation = [1], groups = 3, padding = [1]}
// CHECK-NOT: conv
// CHECK-LABEL: func @sparse
// CHECK: conv1d
// CHECK: full {dtype = f32, size = [2, 5, 1, 5], value = 0.0}
// CHECK-LABEL: func @dense
// CHECK: conv1d %x, %{{.*}} {dilation = [3], groups = 1, padding = [4]}
// CHECK-LABEL: func @both
// CHECK: conv1d %x, %{{.*}} {dilation = [1], groups = 1, padding = [2]}
// CHECK-NOT: conv
// CHECK: full {dtype = f32, size = [2, 3, 1, 11], value = 0.0}
// CHECK-LABEL: func @coprime
// CHECK-COUNT-2: conv1d %x, %{{.*}} {dilation = [3], groups = 1,
// CHECK-NOT: conv
// CHECK-LABEL: func @thirds
// CHECK-COUNT-3: conv1d %x, %{{.*}} {dilation = [2], groups = 2, padding = [1]}
// CHECK-NOT: conv
// CHECK-LABEL: func @plane
// CHECK-COUNT-3: conv2d %x, %{{.*}} {dilation = [2, 1], groups = 1,
// CHECK-NOT: conv2d
// CHECK-LABEL: func @volume
// CHECK-COUNT-8: conv3d
// CHECK-NOT: conv3d
// CHECK-LABEL: func @far
// EXACT-COUNT-10: conv_transpose
// FAR: {{.*}}inf, inf, inf, 2.0, 5.0, 4.0, 6.0
func @two(%x: tensor<[B]x4x[H]x9xf32>, %w: tensor<4x6x3x3xf32>, %b: tensor<6xf32>) -> tensor<[B]x6x[2*H]x18xf32> where 1 <= H {
  %y = conv_transpose2d %x, %w, %b {stride = [2, 2], padding = [1, 1], output_padding = [1, 1]}
  return %y
}
func @groups(%x: tensor<2x6x7xf32>, %w: tensor<6x2x4xf32>) -> tensor<2x6x14xf32> {
  %y = conv_transpose1d %x, %w {stride = [2], padding = [1], groups = 3}
  return %y
}
func @sparse(%x: tensor<2x4x5xf32>, %w: tensor<4x5x2xf32>) -> tensor<2x5x14xf32> {
  %y = conv_transpose1d %x, %w {stride = [3]}
  return %y
}
func @dense(%x: tensor<2x4x9xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x3x11xf32> {
  %y = conv_transpose1d %x, %w {padding = [2], dilation = [3]}
  return %y
}
func @both(%x: tensor<2x4x9xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x3x21xf32> {
  %y = conv_transpose1d %x, %w {stride = [2], dilation = [2]}
  return %y
}
func @coprime(%x: tensor<2x4x[W]xf32>, %w: tensor<4x3x5xf32>, %b: tensor<3xf32>) -> tensor<2x3x[2*W + 8]xf32> where 1 <= W {
  %y = conv_transpose1d %x, %w, %b {stride = [2], padding = [2], output_padding = [1], dilation = [3]}
  return %y
}
func @thirds(%x: tensor<2x4x5xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x6x29xf32> {
  %y = conv_transpose1d %x, %w {stride = [6], padding = [2], dilation = [4], groups = 2}
  return %y
}
func @plane(%x: tensor<1x2x5x4xf32>, %w: tensor<2x3x4x3xf32>) -> tensor<1x3x15x11xf32> {
  %y = conv_transpose2d %x, %w {stride = [3, 2], padding = [2, 0], dilation = [2, 2], output_padding = [0, 0]}
  return %y
}
func @volume(%x: tensor<1x2x3x4x3xf32>, %w: tensor<2x3x3x3x3xf32>) -> tensor<1x3x7x9x7xf32> {
  %y = conv_transpose3d %x, %w {stride = [2, 2, 2]}
  return %y
}
func @far(%x: tensor<1x1x3xf32>, %w: tensor<1x1x3xf32>) -> tensor<1x1x7xf32> {
  %y = conv_transpose1d %x, %w {stride = [2]}
  return %y
}
