// Two functions of one name.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: redefined-symbol.mlir:[[#@LINE+5]]:6: error: symbol `@f` is defined twice
// CHECK: redefined-symbol.mlir:[[#@LINE+1]]:6: note: first defined here
func @f() {
  return
}
func @f() {
  return
}
