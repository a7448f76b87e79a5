// Sizes are not negative.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: negative-dim.mlir:[[#@LINE+1]]:21: error: a dimension is -4
func @f(%x: tensor<[0 - 4]xf32>) {
  return
}
