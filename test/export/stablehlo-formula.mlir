// What no operation computes is its formula; what StableHLO lacks is of CHLO.
// RUN: mlgc export %s --to=stablehlo | FileCheck %s
// CHECK: module @model {
// CHECK-NEXT:   func.func public @main(%x: tensor<4x3xf32> {mlgc.name = "x"},
// CHECK-NEXT:                          %table: tensor<9x2xf32> {mlgc.name = "table"},
// CHECK-NEXT:                          %i: tensor<5xi64> {mlgc.name = "i"})
// CHECK-NEXT:       -> (tensor<4x4xf32> {mlgc.name = "distances"},
// CHECK-NEXT:           tensor<5x2xf32> {mlgc.name = "rows"},
// CHECK-NEXT:           tensor<4x3xf32> {mlgc.name = "y"}) {
// CHECK-NEXT:     %0 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<4x3xf32>) -> tensor<4x4x3xf32>
// CHECK-NEXT:     %1 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<4x3xf32>) -> tensor<4x4x3xf32>
// CHECK-NEXT:     %2 = stablehlo.subtract %0, %1 : tensor<4x4x3xf32>
// CHECK-NEXT:     %3 = stablehlo.abs %2 : tensor<4x4x3xf32>
// CHECK-NEXT:     %4 = stablehlo.constant dense<0.0> : tensor<f32>
// CHECK-NEXT:     %distances = stablehlo.reduce(%3 init: %4) applies stablehlo.add across dimensions = [2] : (tensor<4x4x3xf32>, tensor<f32>) -> tensor<4x4xf32>
// CHECK-NEXT:     %5 = stablehlo.reshape %i : (tensor<5xi64>) -> tensor<5x1xi64>
// CHECK-NEXT:     %rows = "stablehlo.gather"(%table, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<9x2xf32>, tensor<5x1xi64>) -> tensor<5x2xf32>
// CHECK-NEXT:     %6 = stablehlo.constant dense<0.5> : tensor<4x3xf32>
// CHECK-NEXT:     %7 = stablehlo.multiply %x, %6 : tensor<4x3xf32>
// CHECK-NEXT:     %8 = stablehlo.constant dense<0.70710677> : tensor<4x3xf32>
// CHECK-NEXT:     %9 = stablehlo.multiply %x, %8 : tensor<4x3xf32>
// CHECK-NEXT:     %10 = chlo.erf %9 : tensor<4x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT:     %11 = stablehlo.constant dense<1.0> : tensor<4x3xf32>
// CHECK-NEXT:     %12 = stablehlo.add %11, %10 : tensor<4x3xf32>
// CHECK-NEXT:     %y = stablehlo.multiply %7, %12 : tensor<4x3xf32>
// CHECK-NEXT:     return %distances, %rows, %y : tensor<4x4xf32>, tensor<5x2xf32>, tensor<4x3xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
func @forward(%x: tensor<4x3xf32>, %table: tensor<9x2xf32>, %i: tensor<5xi64>) -> (tensor<4x4xf32>, tensor<5x2xf32>, tensor<4x3xf32>) {
  %distances = compute %x, %x {formula = "d[i, j] = sum[k](abs(x0[i, k] - x1[j, k])) over i < 4, j < 4, k < 3"} : tensor<4x4xf32>
  %rows = embedding %table, %i
  %y = gelu %x
  return %distances, %rows, %y
}
