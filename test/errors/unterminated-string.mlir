// A string ends on its line.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: unterminated-string.mlir:[[#@LINE+3]]:19: error: this string does not end on its line
// CHECK: unterminated-string.mlir:[[#@LINE+2]]:19: note: close it with a quote; write a line end inside as `\n`
// CHECK: unterminated-string.mlir:[[#@LINE+2]]:1: error: this `}` closes nothing
module @m weights "w.safetensors {
}
