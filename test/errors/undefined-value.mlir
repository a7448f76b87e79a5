// An operand that nothing defines.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: undefined-value.mlir:[[#@LINE+2]]:13: error: undefined value `%y`
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relu %y
  return %a
}
