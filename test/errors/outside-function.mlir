// Only functions, weights and states stand in a module.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: outside-function.mlir:[[#@LINE+1]]:6: error: `constant` is outside of a function
%a = constant {value = dense<1.0> : tensor<4xf32>} : tensor<4xf32>
