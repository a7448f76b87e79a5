// A `while` runs once to count and once as a scan, which is its tape; d/da sqrt(a) is 1/(2 sqrt(a)).
// RUN: mlgc grad %s | mlgc eval - --input=a=4 | FileCheck %s
// CHECK: root: f64
// CHECK-NEXT: 2.0
// CHECK-NEXT: d_a: f64
// CHECK-NEXT: 0.25
func @sqrt(%a: tensor<f64>) -> tensor<f64> {
  %root = while (%r = %a) {
    %square = mul %r, %r
    %error = sub %square, %a
    %size = abs %error
    %more = gt %size {other = 1.0e-12}
    condition %more, %r
  } do (%r: tensor<f64>) {
    %quotient = div %a, %r
    %sum = add %r, %quotient
    %next = mul %sum {other = 0.5}
    yield %next
  }
  return %root
}
