// An attribute that is given twice.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: duplicate-attribute.mlir:[[#@LINE+2]]:45: error: attribute `negative_slope` is given twice
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = leaky_relu %x {negative_slope = 0.1, negative_slope = 0.2}
  return %a
}
