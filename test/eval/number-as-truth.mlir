// A number that becomes a truth value is true unless it is 0, as in PyTorch.
// RUN: mlgc eval %s --input=x=[true,false] | FileCheck %s
// CHECK: y: 2xi1
// CHECK-NEXT: [ true, false]
// CHECK: w: 2xi1
// CHECK-NEXT: [true, true]
func @f(%x: tensor<2xi1>) -> (tensor<2xi1>, tensor<2xi1>) {
  %m = logical_not %x
  %y = masked_fill %x, %m {value = -0.0}
  %w = masked_fill %x, %m {value = 0.001}
  return %y, %w
}
