// A carried value that each turn hands on unchanged is a value from outside.
// RUN: mlgc opt %s --simplify-control-flow | FileCheck %s
// CHECK: %r = while (%c = %a) {
// CHECK-NEXT: %go = lt %c, %b
// CHECK-NEXT: condition %go, %c
// CHECK: %m = mul %c, %b
// CHECK: return %r, %b
func @f(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %r, %u = while (%c = %a, %v = %b) {
    %go = lt %c, %v
    condition %go, %c, %v
  } do (%c: tensor<f32>, %v: tensor<f32>) {
    %m = mul %c, %v
    yield %m, %v
  }
  return %r, %u
}
