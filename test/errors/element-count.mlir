// A constant has as many elements as its shape.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: element-count.mlir:[[#@LINE+2]]:32: error: 2 elements where the type has 3 (-1: no constant)
func @f() -> tensor<3xf32> {
  %c = constant {value = dense<[1.0, 2.0]> : tensor<3xf32>}
  return %c
}
