// A written type is checked against the inferred one.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: result-type.mlir:[[#@LINE+3]]:8: error: the result of `sin` is tensor<4xf32>, the text says tensor<5xf32>
// CHECK: result-type.mlir:[[#@LINE+2]]:8: note: leave the type out, or add a `where` constraint under which both are equal
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = sin %x : tensor<5xf32>
  return %x
}
