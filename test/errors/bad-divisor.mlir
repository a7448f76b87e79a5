// Division by zero inside of a size.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: bad-divisor.mlir:[[#@LINE+2]]:32: error: division by 0
// CHECK: bad-divisor.mlir:[[#@LINE+1]]:32: note: divisors are positive
func @f(%x: tensor<[B floordiv 0]xf32>) {
  return
}
