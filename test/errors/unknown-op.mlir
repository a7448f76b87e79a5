// A misspelled op is reported with the nearest name.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: unknown-op.mlir:[[#@LINE+3]]:8: error: unknown op `relo`
// CHECK: unknown-op.mlir:[[#@LINE+2]]:8: note: did you mean `relu`?
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relo %x
  return %a
}
