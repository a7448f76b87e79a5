// An op that takes its own result.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: cyclic-value.mlir:[[#@LINE+2]]:12: error: value `%a` is an operand of the op that defines it
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = add %a, %x
  return %a
}
