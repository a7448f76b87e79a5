// An attribute that the row does not have.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: unknown-attribute.mlir:[[#@LINE+3]]:23: error: op `leaky_relu` has no attribute `slope`
// CHECK: unknown-attribute.mlir:[[#@LINE+2]]:23: note: known names: negative_slope
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = leaky_relu %x {slope = 0.1}
  return %a
}
