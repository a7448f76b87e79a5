// Results are counted from zero.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: no-such-result.mlir:[[#@LINE+2]]:13: error: `%x` has 1 results, so there is no result 1
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relu %x#1
  return %a
}
