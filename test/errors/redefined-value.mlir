// A name that is visible already.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: redefined-value.mlir:[[#@LINE+4]]:3: error: value `%a` is defined twice
// CHECK: redefined-value.mlir:[[#@LINE+2]]:3: note: first defined here
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relu %x
  %a = sin %x
  return %a
}
