// Windows have operations of their own; positions without uses are not computed.
// RUN: mlgc export %s --to=stablehlo | FileCheck %s
// CHECK: module @model {
// CHECK-NEXT:   func.func public @main(%x: tensor<1x4x8x8xf32> {mlgc.name = "x"},
// CHECK-NEXT:                          %w: tensor<6x2x3x3xf32> {mlgc.name = "w"},
// CHECK-NEXT:                          %b: tensor<6xf32> {mlgc.name = "b"},
// CHECK-NEXT:                          %t: tensor<6x4x2x2xf32> {mlgc.name = "t"})
// CHECK-NEXT:       -> (tensor<1x4x6x6xf32> {mlgc.name = "small"}) {
// CHECK-NEXT:     %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = {{\[\[}}1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x6x6xf32>
// CHECK-NEXT:     %1 = stablehlo.reshape %b : (tensor<6xf32>) -> tensor<1x6xf32>
// CHECK-NEXT:     %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<1x6x6x6xf32>
// CHECK-NEXT:     %y = stablehlo.add %0, %2 : tensor<1x6x6x6xf32>
// CHECK-NEXT:     %3 = stablehlo.reverse %t, dims = [2, 3] : tensor<6x4x2x2xf32>
// CHECK-NEXT:     %4 = stablehlo.transpose %3, dims = [1, 0, 2, 3] : (tensor<6x4x2x2xf32>) -> tensor<4x6x2x2xf32>
// CHECK-NEXT:     %up = stablehlo.convolution(%y, %4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = {{\[\[}}1, 1], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x6xf32>, tensor<4x6x2x2xf32>) -> tensor<1x4x12x12xf32>
// CHECK-NEXT:     %5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
// CHECK-NEXT:     %small = "stablehlo.reduce_window"(%up, %5) <{window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>, base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>, padding = dense<{{\[\[}}0, 0], [0, 0], [1, 0], [1, 0]]> : tensor<4x2xi64>}> ({
// CHECK-NEXT:     ^bb0(%6: tensor<f32>, %7: tensor<f32>):
// CHECK-NEXT:       %8 = stablehlo.maximum %6, %7 : tensor<f32>
// CHECK-NEXT:       stablehlo.return %8 : tensor<f32>
// CHECK-NEXT:     }) : (tensor<1x4x12x12xf32>, tensor<f32>) -> tensor<1x4x6x6xf32>
// CHECK-NEXT:     return %small : tensor<1x4x6x6xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
func @forward(%x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>, %t: tensor<6x4x2x2xf32>) -> tensor<1x4x6x6xf32> {
  %y = conv2d %x, %w, %b {dilation = [2, 2], groups = 2, padding = [1, 1], stride = [1, 1]}
  %up = conv_transpose2d %y, %t {stride = [2, 2]}
  %small, %at = max_pool2d %up {kernel_size = [3, 3], padding = [1, 1], stride = [2, 2]}
  return %small
}
