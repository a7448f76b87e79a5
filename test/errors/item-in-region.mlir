// A missing brace shows at the next function.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: item-in-region.mlir:[[#@LINE+4]]:1: error: `func` is inside of another item
// CHECK: item-in-region.mlir:[[#@LINE+3]]:1: note: close the region before it with `}`
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x
func @g() {
  return
}
