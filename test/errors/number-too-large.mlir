// A size beyond 64 bits.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: number-too-large.mlir:[[#@LINE+1]]:20: error: `99999999999999999999` does not fit a dimension
func @f(%x: tensor<99999999999999999999xf32>) {
  return
}
