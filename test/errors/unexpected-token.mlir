// The grammar wants another token.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: unexpected-token.mlir:[[#@LINE+2]]:6: error: expected `=` after the results, found `relu`
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a relu %x
  return %a
}
