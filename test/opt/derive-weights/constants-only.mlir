// What depends on constants alone is the matter of constant-fold; with a weight beside it a constant moves along.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// CHECK: weight @w.add : tensor<2xf32> = {
// CHECK: constant {value = dense<[1.0, 2.0]>
// CHECK: func @f
// CHECK: %n = neg %c
// CHECK: read @w.add
weight @w : tensor<2xf32>
func @f() -> (tensor<2xf32>, tensor<2xf32>) {
  %w = read @w
  %c = constant {value = dense<[1.0, 2.0]> : tensor<2xf32>}
  %n = neg %c
  %s = add %w, %c
  return %n, %s
}
