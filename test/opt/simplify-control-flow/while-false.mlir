// A `while` whose condition is the constant false runs its first region, once.
// RUN: mlgc opt %s --simplify-control-flow | FileCheck %s
// CHECK: func @f
// CHECK-NEXT: %e = exp %a
// CHECK-NEXT: return %e
func @f(%a: tensor<f32>) -> tensor<f32> {
  %r = while (%c = %a) {
    %go = constant {value = dense<false> : tensor<i1>}
    %e = exp %c
    condition %go, %e
  } do (%c: tensor<f32>) {
    %m = mul %c, %c
    yield %m
  }
  return %r
}
