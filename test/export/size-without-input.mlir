// Sizes come from shapes of inputs.
// REQUIRES: libtorch
// RUN: %exits 3 mlgc export %s --to=fx-code 2>&1 | FileCheck %s
// CHECK: size-without-input.mlir:[[#@LINE+1]]:1: error: size `B` of `@f` cannot be written as `fx-code`: no input gives it
func @f(%x: tensor<[B*S + S]xf32>) -> tensor<i64> {
  %n = dim [B]
  return %n
}
