// A character that begins no token.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: unexpected-character.mlir:[[#@LINE+2]]:16: error: unexpected character `;`
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relu %x ;
  return %a
}
