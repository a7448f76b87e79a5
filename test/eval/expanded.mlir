// An expanded composite gives the values of the whole one.
// RUN: mlgc opt %s --expand | mlgc eval - --input=x=2x3xf32=iota --output=- | FileCheck %s
// CHECK: y: 2x3xf32
// CHECK-NEXT: {{\[\[}}0.09003057, 0.24472848, 0.66524094]
func @f(%x: tensor<[B]x3xf32>) -> tensor<[B]x3xf32> {
  %y = softmax %x {dim = -1}
  return %y
}
