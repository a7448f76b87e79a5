// Random numbers are not derived, though the key is a weight.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// CHECK-NOT: weight @key.
// CHECK: %r = uniform %k
weight @key : tensor<2xi64>
func @f() -> tensor<4xf32> {
  %k = read @key
  %r = uniform %k {size = [4]}
  return %r
}
