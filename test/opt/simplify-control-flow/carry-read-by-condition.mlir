// A counter whose last value nobody reads still says when the loop ends.
// RUN: mlgc opt %s --simplify-control-flow --statistics -o /dev/null 2>&1 | FileCheck %s
// CHECK: {{^}}unchanged: simplify-control-flow{{$}}
func @f(%a: tensor<f32>) -> tensor<f32> {
  %zero = constant {value = dense<0> : tensor<i64>}
  %r, %n = while (%c = %a, %i = %zero) {
    %go = lt %i {other = 8}
    condition %go, %c, %i
  } do (%c: tensor<f32>, %i: tensor<i64>) {
    %m = mul %c, %c
    %j = add %i {other = 1}
    yield %m, %j
  }
  return %r
}
