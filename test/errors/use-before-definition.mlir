// An operand that is defined further down.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: use-before-definition.mlir:[[#@LINE+4]]:16: error: value `%b` is used before its definition
// CHECK: use-before-definition.mlir:[[#@LINE+4]]:3: note: defined here
// CHECK: use-before-definition.mlir:[[#@LINE+2]]:16: note: move the definition up, or let `mlgc opt --topological-sort` sort the text
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = add %x, %b
  %b = relu %x
  return %a
}
