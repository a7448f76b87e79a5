// Sizes that are not known have names.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: anonymous-dimension.mlir:[[#@LINE+2]]:13: error: a dimension is `?`
// CHECK: anonymous-dimension.mlir:[[#@LINE+1]]:13: note: name it: `[B]`, or in the generic form by an encoding `["B", "784"]`
func @f(%x: tensor<?x4xf32>) {
  return
}
