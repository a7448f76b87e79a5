// What follows a return would be read as its operands when it is printed on a line of its own.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: op-after-terminator.mlir:[[#@LINE+2]]:10: error: `return` must be the last op of its region
func @f(%x: tensor<4xf32>) {
  return sort %x
}
