// Neither functions nor derived weights are recursive.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: symbol-in-itself.mlir:[[#@LINE+3]]:8: error: `@w` is used inside of its own definition
// CHECK: symbol-in-itself.mlir:[[#@LINE+6]]:8: error: `@f` is used inside of its own definition
weight @w : tensor<4xf32> = {
  %a = read @w
  yield %a
}
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = call @f, %x
  return %a
}
