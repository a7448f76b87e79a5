// The element types are fixed.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: unknown-element-type.mlir:[[#@LINE+2]]:22: error: unknown element type `f31`
// CHECK: unknown-element-type.mlir:[[#@LINE+1]]:22: note: element types are i1, i8, ui8, i16, i32, i64, f16, bf16, f32, f64, c64 and c128
func @f(%x: tensor<4xf31>) {
  return
}
