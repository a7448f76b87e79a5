// Multiplying by one is nothing.
// RUN: mlgc opt %s --canonicalize | FileCheck %s
// CHECK-NOT: mul
// CHECK: return %x
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = constant {value = dense<1.0> : tensor<4xf32>}
  %a = mul %one, %x
  return %a
}
