// No type starts with this name.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: unknown-type.mlir:[[#@LINE+2]]:13: error: unknown type `tensr`
// CHECK: unknown-type.mlir:[[#@LINE+1]]:13: note: types are tensor<…>, vector<…>, buffer<…>, index and element types such as f32
func @f(%x: tensr<4xf32>) {
  return
}
