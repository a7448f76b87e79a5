// As many names as results.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: result-count.mlir:[[#@LINE+3]]:12: error: op `sin` has 1 results, 2 are named
// CHECK: result-count.mlir:[[#@LINE+2]]:12: note: name all of them or none
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a, %b = sin %x
  return %a
}
