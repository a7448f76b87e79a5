// An op whose type names a size comes after the op that binds the size, though no operand orders them.
// RUN: mlgc opt %s --topological-sort | FileCheck %s
// CHECK:      %y = relu %x : tensor<[B]x2xf32>
// CHECK-NEXT: %p = nonzero %y : tensor<[u0]x2xi64> where u0 <= 2*B
// CHECK-NEXT: %d = dim [u0] : tensor<i64>
// CHECK-NEXT: return %d
func @f(%x: tensor<[B]x2xf32>) -> tensor<i64> where 1 <= B <= 8 {
  %d = dim [u0] : tensor<i64>
  %p = nonzero %y : tensor<[u0]x2xi64> where u0 <= B*2
  %y = relu %x
  return %d
}
