// Results are named as evaluation names them; one that is an argument given back, or a second time, gets a free name.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// CHECK: func @f(%x: buffer<2xf32, argument>, %result1: buffer<2xf32, argument>, %result0_: buffer<2xf32, argument>, %result1_: buffer<2xf32, argument>, %result0: buffer<2xf32, argument>)
func @f(%x: tensor<2xf32>, %result1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %result0 = exp %result1 : tensor<2xf32>
  return %x, %x, %result0
}
