// A function that is called gets a number where all its calls give one now, a stated gradient likewise; one that is
// called with two numbers keeps its symbol.
// RUN: mlgc opt %s --dim=B=8 | FileCheck %s
// RUN: mlgc opt %s --specialize-dims='dims=B=8 function=other' | FileCheck %s --check-prefix=OTHER
// CHECK: func @clipped(%x: tensor<8x[N]xf32>, %g: tensor<8x[N]xf32>) -> tensor<8x[N]xf32> {
// CHECK: func @once(%x: tensor<8x[N]xf32>) -> tensor<8x[N]xf32> gradient @clipped
// CHECK: func @twice(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {
// CHECK: func @f(%x: tensor<8x[S]xf32>, %y: tensor<16xf32>) -> (tensor<8x[S]xf32>, tensor<16xf32>, tensor<8xf32>) {
// CHECK: func @other(%x: tensor<8xf32>) -> tensor<8xf32> {
// OTHER: func @once(%x: tensor<[M]x[N]xf32>)
// OTHER: func @f(%x: tensor<[B]x[S]xf32>
// OTHER: func @other(%x: tensor<8xf32>)
func @clipped(%x: tensor<[M]x[N]xf32>, %g: tensor<[M]x[N]xf32>) -> tensor<[M]x[N]xf32> {
  %d = mul %x, %g
  return %d
}
func @once(%x: tensor<[M]x[N]xf32>) -> tensor<[M]x[N]xf32> gradient @clipped attributes {surrogate = true} {
  %y = round %x
  return %y
}
func @twice(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {
  %y = neg %x
  return %y
}
func @f(%x: tensor<[B]x[S]xf32>, %y: tensor<[2*B]xf32>) -> (tensor<[B]x[S]xf32>, tensor<[2*B]xf32>, tensor<[B]xf32>) {
  %a = call @once, %x
  %b = call @twice, %y
  %s = sum %x {dim = [1]}
  %c = call @twice, %s
  return %a, %b, %c
}
func @other(%x: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %y = neg %x
  return %y
}
