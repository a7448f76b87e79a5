// A derived weight is what its region yields.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: region-yield.mlir:[[#@LINE+3]]:3: error: region `derivation` of `weight` yields (tensor<5xf32>), expected (tensor<4xf32>)
weight @w : tensor<4xf32> = {
  %a = constant {value = dense<1.0> : tensor<5xf32>}
  yield %a
}
