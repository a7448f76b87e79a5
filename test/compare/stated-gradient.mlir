// A function that states its gradient is compiled alone, as any other: what its gradient is says nothing of its values.
// RUN: mlgc compare %s --backend=cpp | FileCheck %s
// CHECK: compiled: 2 functions
func @ones(%x: tensor<4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %y = mul %g, %x
  return %y
}
func @quantised(%x: tensor<4xf32>) -> tensor<4xf32> gradient @ones attributes {surrogate = true} {
  %y = exp %x
  return %y
}
