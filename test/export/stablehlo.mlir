// Weights are arguments, and states are results, too; names are attributes.
// Sizes are constants.
// RUN: mlgc export %s --to=stablehlo --dim=B=1 | FileCheck %s
// CHECK: module @net {
// CHECK-NEXT:   func.func public @main(%x: tensor<2x3xf32> {mlgc.name = "x"},
// CHECK-NEXT:                          %fc.weight: tensor<4x3xf32> {mlgc.name = "@fc.weight"},
// CHECK-NEXT:                          %fc.bias: tensor<4xf32> {mlgc.name = "@fc.bias"},
// CHECK-NEXT:                          %count: tensor<i64> {mlgc.name = "@count"})
// CHECK-NEXT:       -> (tensor<2x4xf32> {mlgc.name = "h"},
// CHECK-NEXT:           tensor<2xi64> {mlgc.name = "where"},
// CHECK-NEXT:           tensor<i64> {mlgc.name = "@count"}) {
// CHECK-NEXT:     %0 = stablehlo.dot_general %x, %fc.weight, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:     %1 = stablehlo.broadcast_in_dim %fc.bias, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT:     %2 = stablehlo.add %0, %1 : tensor<2x4xf32>
// CHECK-NEXT:     %3 = stablehlo.constant dense<0.0> : tensor<2x4xf32>
// CHECK-NEXT:     %h = stablehlo.maximum %2, %3 : tensor<2x4xf32>
// CHECK-NEXT:     %4 = stablehlo.iota dim = 1 : tensor<2x4xi64>
// CHECK-NEXT:     %5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
// CHECK-NEXT:     %6 = stablehlo.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %7, %where = "stablehlo.reduce"(%h, %4, %5, %6) <{dimensions = array<i64: 1>}> ({
// CHECK-NEXT:     ^bb0(%8: tensor<f32>, %9: tensor<i64>, %10: tensor<f32>, %11: tensor<i64>):
// CHECK-NEXT:       %12 = stablehlo.compare GT, %8, %10 : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:       %13 = stablehlo.compare NE, %8, %8 : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:       %14 = stablehlo.or %12, %13 : tensor<i1>
// CHECK-NEXT:       %15 = stablehlo.compare LT, %9, %11 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT:       %16 = stablehlo.compare EQ, %8, %10 : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:       %17 = stablehlo.and %16, %15 : tensor<i1>
// CHECK-NEXT:       %18 = stablehlo.select %14, %8, %10 : tensor<i1>, tensor<f32>
// CHECK-NEXT:       %19 = stablehlo.or %14, %17 : tensor<i1>
// CHECK-NEXT:       %20 = stablehlo.select %19, %9, %11 : tensor<i1>, tensor<i64>
// CHECK-NEXT:       stablehlo.return %18, %20 : tensor<f32>, tensor<i64>
// CHECK-NEXT:     }) : (tensor<2x4xf32>, tensor<2x4xi64>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xi64>)
// CHECK-NEXT:     %21 = stablehlo.constant dense<1> : tensor<i64>
// CHECK-NEXT:     %n = stablehlo.add %count, %21 : tensor<i64>
// CHECK-NEXT:     return %h, %where, %n : tensor<2x4xf32>, tensor<2xi64>, tensor<i64>
// CHECK-NEXT:   }
// CHECK-NEXT: }
module @net {
  weight @fc.weight : tensor<4x3xf32>
  weight @fc.bias : tensor<4xf32>
  state @count : tensor<i64> attributes {initial = 0}
  func @forward(%x: tensor<[2*B]x3xf32>) -> (tensor<[2*B]x4xf32>, tensor<[2*B]xi64>) updates (@count = %n) {
    %w = read @fc.weight
    %b = read @fc.bias
    %0 = linear %x, %w, %b
    %h = relu %0
    %values, %where = max_dim %h {dim = 1}
    %count = read @count
    %n = add %count {other = 1}
    return %h, %where, %n
  }
}
