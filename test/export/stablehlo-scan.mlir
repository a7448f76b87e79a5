// A scan counts; it reads and writes slices.
// RUN: mlgc export %s --to=stablehlo --dim=T=3 | FileCheck %s
// CHECK: module @model {
// CHECK-NEXT:   func.func public @main(%h0: tensor<4xf32> {mlgc.name = "h0"},
// CHECK-NEXT:                          %xs: tensor<3x4xf32> {mlgc.name = "xs"})
// CHECK-NEXT:       -> (tensor<4xf32> {mlgc.name = "h"},
// CHECK-NEXT:           tensor<3x4xf32> {mlgc.name = "hs"}) {
// CHECK-NEXT:     %0 = stablehlo.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %1 = stablehlo.constant dense<0.0> : tensor<3x4xf32>
// CHECK-NEXT:     %2, %h, %hs = stablehlo.while(%3 = %0, %4 = %h0, %5 = %1) : tensor<i64>, tensor<4xf32>, tensor<3x4xf32>
// CHECK-NEXT:     cond {
// CHECK-NEXT:       %6 = stablehlo.constant dense<3> : tensor<i64>
// CHECK-NEXT:       %7 = stablehlo.compare LT, %3, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT:       stablehlo.return %7 : tensor<i1>
// CHECK-NEXT:     } do {
// CHECK-NEXT:       %8 = stablehlo.constant dense<2> : tensor<i64>
// CHECK-NEXT:       %9 = stablehlo.subtract %8, %3 : tensor<i64>
// CHECK-NEXT:       %10 = stablehlo.dynamic_slice %xs, %9, %0, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
// CHECK-NEXT:       %11 = stablehlo.reshape %10 : (tensor<1x4xf32>) -> tensor<4xf32>
// CHECK-NEXT:       %next = stablehlo.add %11, %4 : tensor<4xf32>
// CHECK-NEXT:       %12 = stablehlo.constant dense<1> : tensor<i64>
// CHECK-NEXT:       %13 = stablehlo.add %3, %12 : tensor<i64>
// CHECK-NEXT:       %14 = stablehlo.reshape %next : (tensor<4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:       %15 = stablehlo.dynamic_update_slice %5, %14, %9, %0 : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i64>, tensor<i64>) -> tensor<3x4xf32>
// CHECK-NEXT:       stablehlo.return %13, %next, %15 : tensor<i64>, tensor<4xf32>, tensor<3x4xf32>
// CHECK-NEXT:     }
// CHECK-NEXT:     return %h, %hs : tensor<4xf32>, tensor<3x4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
func @main(%h0: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> (tensor<4xf32>, tensor<[T]x4xf32>) {
  %h, %hs = scan %h0, %xs (%state: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1, reverse = true} {
    %next = add %x, %state
    yield %next, %next
  }
  return %h, %hs
}
