// Each of these rules of canonicalize.rules is used once: arithmetic.
// RUN: mlgc opt %s --canonicalize --numerics=fast | FileCheck %s
// RUN: mlgc opt %s --canonicalize --numerics=fast --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULES
// RULES-DAG: rule mul-one: 1
// RULES-DAG: rule div-one: 1
// RULES-DAG: rule pow-one: 1
// RULES-DAG: rule sub-zero: 1
// RULES-DAG: rule add-negative-zero: 1
// RULES-DAG: rule add-zero: 1
// RULES-DAG: rule sub-negative-zero: 1
// RULES-DAG: rule mul-zero: 1
// RULES-DAG: rule mul-zero-float: 1
// RULES-DAG: rule sub-self: 1
// RULES-DAG: rule sub-self-float: 1
// RULES-DAG: rule involution: 1
// RULES-DAG: rule idempotent: 1
// RULES-DAG: rule sub-neg: 1
// RULES-DAG: rule add-neg: 1
// RULES-DAG: rule mul-neg: 1
// CHECK-LABEL: func @neutral
// CHECK-NEXT: return %x, %x, %x, %x, %x, %x, %x
func @neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = mul %x {other = 1}
  %b = div %x {other = 1.0}
  %c = pow %x {other = 1.0}
  %d = sub %x {other = 0.0}
  %e = add %x {other = -0.0}
  %f = add %x {other = 0.0}
  %g = sub %x {other = -0.0}
  return %a, %b, %c, %d, %e, %f, %g
}
// CHECK-LABEL: func @zeros
// CHECK-NOT: {{mul|sub}}
// CHECK: return
func @zeros(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %a = mul %x {other = 0.0}
  %b = sub %x, %x
  %c = mul %i {other = 0}
  %d = sub %i, %i
  return %a, %b, %c, %d
}
// CHECK-LABEL: func @signs
// CHECK-NEXT: %b = relu %x
// CHECK-NEXT: add %x, %y
// CHECK-NEXT: sub %x, %y
// CHECK-NEXT: mul %x, %y
// CHECK-NEXT: return %x, %b
func @signs(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %n = neg %x
  %m = neg %y
  %a = neg %n
  %b = relu %x
  %r = relu %b
  %c = sub %x, %m
  %d = add %m, %x
  %e = mul %n, %m
  return %a, %r, %c, %d, %e
}
