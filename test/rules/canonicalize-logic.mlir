// Each of these rules of canonicalize.rules is used once: logic.
// RUN: mlgc opt %s --canonicalize --numerics=fast | FileCheck %s
// RUN: mlgc opt %s --canonicalize --numerics=fast --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULES
// RULES-DAG: rule eq-self: 1
// RULES-DAG: rule le-self: 1
// RULES-DAG: rule ge-self: 1
// RULES-DAG: rule ne-self: 1
// RULES-DAG: rule lt-self: 1
// RULES-DAG: rule gt-self: 1
// RULES-DAG: rule eq-self-float: 1
// RULES-DAG: rule le-self-float: 1
// RULES-DAG: rule ge-self-float: 1
// RULES-DAG: rule ne-self-float: 1
// RULES-DAG: rule where-true: 1
// RULES-DAG: rule where-false: 1
// RULES-DAG: rule where-same: 1
// RULES-DAG: rule where-not: 1
// RULES-DAG: rule and-true: 1
// RULES-DAG: rule not-not: 1
// RULES-DAG: rule equals-false: 1
// RULES-DAG: rule not-false: 1
// RULES-DAG: rule fill-not: 1
// CHECK-LABEL: func @comparisons
// CHECK-NOT: {{(eq|le|ge|ne|lt|gt) }}
// CHECK: return
func @comparisons(%i: tensor<4xi32>, %x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %a = eq %i, %i
  %b = le %i, %i
  %c = ge %i, %i
  %d = ne %i, %i
  %e = lt %i, %i
  %f = gt %i, %i
  %g = eq %x, %x
  %h = le %x, %x
  %j = ge %x, %x
  %k = ne %x, %x
  return %a, %b, %c, %d, %e, %f, %g, %h, %j, %k
}
// CHECK-LABEL: func @selection
// CHECK-NEXT: %d = where %k, %y, %x
// CHECK-NEXT: return %x, %y, %x, %d
func @selection(%k: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %t = constant {value = dense<true> : tensor<4xi1>} : tensor<4xi1>
  %f = constant {value = dense<false> : tensor<4xi1>} : tensor<4xi1>
  %a = where %t, %x, %y
  %b = where %f, %x, %y
  %c = where %k, %x, %x
  %n = logical_not %k
  %d = where %n, %x, %y
  return %a, %b, %c, %d
}
// CHECK-LABEL: func @truth
// CHECK-NEXT: %d = logical_not %k
// CHECK-NEXT: %[[FILL:.*]] = constant {value = dense<3.0> : tensor<2x4xf32>}
// CHECK-NEXT: %h = where %k, %x, %[[FILL]]
// CHECK-NEXT: return %k, %k, %d, %k, %h
func @truth(%k: tensor<4xi1>, %x: tensor<2x4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<2x4xf32>) {
  %t = constant {value = dense<true> : tensor<4xi1>} : tensor<4xi1>
  %a = logical_and %k, %t
  %n = logical_not %k
  %b = bitwise_not %n
  %c = cast %k {dtype = i64}
  %d = eq %c {other = 0}
  %e = ne %c {other = 0}
  %m = logical_not %k
  %h = masked_fill %x, %m {value = 3.0}
  return %a, %b, %d, %e, %h
}
