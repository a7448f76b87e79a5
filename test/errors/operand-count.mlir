// An op has as many operands as its row.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: operand-count.mlir:[[#@LINE+2]]:8: error: op `sin` takes 1 operands, found 2
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = sin %x, %x
  return %a
}
