// `op?(x, …)` matches the op, or x alone: numbers then have the value that stands behind them.
// RUN: mlgc rules --check %S/Inputs/negated-product.rules | FileCheck %s --check-prefix=JUDGED
// RUN: mlgc opt %s --rules=%S/Inputs/negated-product.rules --dce | FileCheck %s
// JUDGED: negated-product           ok     exact
// CHECK-LABEL: func @f
// CHECK-NEXT: %b = mul %x {other = -3.0}
// CHECK-NEXT: %c = mul %y {other = -1}
// CHECK-NEXT: return %b, %c
func @f(%x: tensor<4xf32>, %y: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %a = mul %x {other = 3.0}
  %b = neg %a
  %c = neg %y
  return %b, %c
}
