// Blocks see the values around them; a scan counts.
// RUN: mlgc export %s --to=stablehlo --dim=T=3 | FileCheck %s
// CHECK: module @model {
// CHECK-NEXT:   func.func public @main(%a: tensor<f32> {mlgc.name = "a"},
// CHECK-NEXT:                          %h0: tensor<4xf32> {mlgc.name = "h0"},
// CHECK-NEXT:                          %xs: tensor<3x4xf32> {mlgc.name = "xs"})
// CHECK-NEXT:       -> (tensor<f32> {mlgc.name = "last"},
// CHECK-NEXT:           tensor<4xf32> {mlgc.name = "h"},
// CHECK-NEXT:           tensor<3x4xf32> {mlgc.name = "hs"}) {
// CHECK-NEXT:     %0 = stablehlo.constant dense<1.0> : tensor<f32>
// CHECK-NEXT:     %big = stablehlo.compare LT, %0, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:     %b = "stablehlo.if"(%big) ({
// CHECK-NEXT:       %1 = stablehlo.constant dense<0.5> : tensor<f32>
// CHECK-NEXT:       %half = stablehlo.multiply %a, %1 : tensor<f32>
// CHECK-NEXT:       stablehlo.return %half : tensor<f32>
// CHECK-NEXT:     }, {
// CHECK-NEXT:       stablehlo.return %a : tensor<f32>
// CHECK-NEXT:     }) : (tensor<i1>) -> tensor<f32>
// CHECK-NEXT:     %last = stablehlo.while(%2 = %b) : tensor<f32>
// CHECK-NEXT:     cond {
// CHECK-NEXT:       %3 = stablehlo.constant dense<0.1> : tensor<f32>
// CHECK-NEXT:       %go = stablehlo.compare LT, %3, %2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK-NEXT:       stablehlo.return %go : tensor<i1>
// CHECK-NEXT:     } do {
// CHECK-NEXT:       %4 = stablehlo.constant dense<0.5> : tensor<f32>
// CHECK-NEXT:       %half_1 = stablehlo.multiply %2, %4 : tensor<f32>
// CHECK-NEXT:       stablehlo.return %half_1 : tensor<f32>
// CHECK-NEXT:     }
// CHECK-NEXT:     %5 = stablehlo.constant dense<0> : tensor<i64>
// CHECK-NEXT:     %6 = stablehlo.constant dense<0.0> : tensor<3x4xf32>
// CHECK-NEXT:     %7, %h, %hs = stablehlo.while(%8 = %5, %9 = %h0, %10 = %6) : tensor<i64>, tensor<4xf32>, tensor<3x4xf32>
// CHECK-NEXT:     cond {
// CHECK-NEXT:       %11 = stablehlo.constant dense<3> : tensor<i64>
// CHECK-NEXT:       %12 = stablehlo.compare LT, %8, %11 : (tensor<i64>, tensor<i64>) -> tensor<i1>
// CHECK-NEXT:       stablehlo.return %12 : tensor<i1>
// CHECK-NEXT:     } do {
// CHECK-NEXT:       %13 = stablehlo.constant dense<2> : tensor<i64>
// CHECK-NEXT:       %14 = stablehlo.subtract %13, %8 : tensor<i64>
// CHECK-NEXT:       %15 = stablehlo.dynamic_slice %xs, %14, %5, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
// CHECK-NEXT:       %16 = stablehlo.reshape %15 : (tensor<1x4xf32>) -> tensor<4xf32>
// CHECK-NEXT:       %next = stablehlo.add %16, %9 : tensor<4xf32>
// CHECK-NEXT:       %17 = stablehlo.constant dense<1> : tensor<i64>
// CHECK-NEXT:       %18 = stablehlo.add %8, %17 : tensor<i64>
// CHECK-NEXT:       %19 = stablehlo.reshape %next : (tensor<4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:       %20 = stablehlo.dynamic_update_slice %10, %19, %14, %5 : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i64>, tensor<i64>) -> tensor<3x4xf32>
// CHECK-NEXT:       stablehlo.return %18, %next, %20 : tensor<i64>, tensor<4xf32>, tensor<3x4xf32>
// CHECK-NEXT:     }
// CHECK-NEXT:     return %last, %h, %hs : tensor<f32>, tensor<4xf32>, tensor<3x4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
func @half(%x: tensor<f32>) -> tensor<f32> {
  %half = mul %x {other = 0.5}
  return %half
}
func @main(%a: tensor<f32>, %h0: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<[T]x4xf32>) {
  %big = gt %a {other = 1.0}
  %b = if %big {
    %0 = call @half, %a
    yield %0
  } else {
    yield %a
  } : tensor<f32>
  %last = while (%c = %b) {
    %go = gt %c {other = 0.1}
    condition %go, %c
  } do (%d: tensor<f32>) {
    %0 = call @half, %d
    yield %0
  }
  %h, %hs = scan %h0, %xs (%state: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1, reverse = true} {
    %next = add %x, %state
    yield %next, %next
  }
  return %last, %h, %hs
}
