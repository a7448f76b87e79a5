// Multiplying by zero is something: infinities and NaNs become NaN.
// RUN: mlgc opt %s --canonicalize | FileCheck %s
// CHECK: %a = mul
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = constant {value = dense<0.0> : tensor<4xf32>}
  %a = mul %x, %zero
  return %a
}
