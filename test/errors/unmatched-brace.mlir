// More braces close than open.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: unmatched-brace.mlir:[[#@LINE+4]]:1: error: this `}` closes nothing
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x
}
}
