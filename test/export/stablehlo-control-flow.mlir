// Blocks see the values around them.
// RUN: mlgc export %s --to=stablehlo | FileCheck %s
// CHECK: module @model {
// CHECK-NEXT:   func.func public @main(%a: tensor<f32> {mlgc.name = "a"})
// CHECK-NEXT:       -> (tensor<f32> {mlgc.name = "last"}) {
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
// CHECK-NEXT:       %less = stablehlo.multiply %2, %4 : tensor<f32>
// CHECK-NEXT:       stablehlo.return %less : tensor<f32>
// CHECK-NEXT:     }
// CHECK-NEXT:     return %last : tensor<f32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
func @main(%a: tensor<f32>) -> tensor<f32> {
  %big = gt %a {other = 1.0}
  %b = if %big {
    %half = mul %a {other = 0.5}
    yield %half
  } else {
    yield %a
  } : tensor<f32>
  %last = while (%c = %b) {
    %go = gt %c {other = 0.1}
    condition %go, %c
  } do (%d: tensor<f32>) {
    %less = mul %d {other = 0.5}
    yield %less
  }
  return %last
}
