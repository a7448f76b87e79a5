// A region that does not end.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: unclosed-brace.mlir:[[#@LINE+4]]:1: error: expected `}` before the end of the text
// CHECK: unclosed-brace.mlir:[[#@LINE+1]]:45: note: opened here
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x
