// An attribute always has a value.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: attribute-without-value.mlir:[[#@LINE+3]]:23: error: attribute `negative_slope` has no value
// CHECK: attribute-without-value.mlir:[[#@LINE+2]]:23: note: write `negative_slope = true`
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = leaky_relu %x {negative_slope}
  return %a
}
