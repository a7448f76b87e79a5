// A host function has the inputs, the results and the new states as arguments; weights are read where they lie, constants with unequal elements are derived weights, and what is given back unchanged is copied.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// CHECK: weight @f.constant0 : tensor<3xf32> = {
// CHECK: func @f(%x: buffer<[B]x3xf32, argument>, %result0: buffer<[B]x3xf32, argument>, %result1: buffer<[B]x3xf32, argument>, %n: buffer<i64, argument>) where 1 <= B updates (@calls = %n) attributes {results = 2} {
// CHECK: data @calls : buffer<i64, weight>
// CHECK: data @w : buffer<3xf32, weight>
// CHECK: data @f.constant0 : buffer<3xf32, weight>
// CHECK: launch @f.{{[0-9]}}.copy, %x, %result1
// CHECK-NEXT: return %n
weight @w : tensor<3xf32>
state @calls : tensor<i64>
func @f(%x: tensor<[B]x3xf32>) -> (tensor<[B]x3xf32>, tensor<[B]x3xf32>) where 1 <= B updates (@calls = %n) {
  %w = read @w
  %c = constant {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>}
  %calls = read @calls
  %n = add %calls {other = 1}
  %s = softmax %x {dim = 0}
  %0 = mul %s, %w
  %2 = add %0, %c
  return %2, %x, %n
}
