// A text is read from the top: what stands further down is not known yet.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: unknown-symbol.mlir:[[#@LINE+2]]:8: error: no function, weight or state `@w` before this op
func @f() -> tensor<4xf32> {
  %a = read @w
  return %a
}
weight @w : tensor<4xf32>
