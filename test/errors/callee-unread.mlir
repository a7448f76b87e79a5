// A function whose signature could not be read has nothing that a call could be checked against.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: callee-unread.mlir:[[#@LINE+2]]:41: error: unexpected character ```
// CHECK: callee-unread.mlir:[[#@LINE+6]]:8: error: `@scale` cannot be called: errors in its text left it without arguments and body
func @scale(%x: tensor<4xf32>, %by: f32)` -> tensor<4xf32> {
  %y = mul %x, %by
  return %y
}
func @main(%x: tensor<4xf32>, %by: f32) -> tensor<4xf32> {
  %a = call @scale, %x, %by
  return %a
}
