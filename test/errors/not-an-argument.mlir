// Updates pair symbols and arguments with new values.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: not-an-argument.mlir:[[#@LINE+2]]:54: error: `%y` is not an argument of the function
state @s : tensor<4xf32>
func @f(%x: tensor<4xf32>) -> tensor<4xf32> updates (%y = %x) {
  return %x, %x
}
