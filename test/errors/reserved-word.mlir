// A reserved word cannot name a size.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: reserved-word.mlir:[[#@LINE+1]]:21: error: `where` is a reserved word and cannot name a size
func @f(%x: tensor<[where]xf32>) {
  return
}
