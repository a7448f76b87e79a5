// Which zero is the larger one depends on the order of operands, so extremes are equal in one order only.
// RUN: mlgc opt %s --cse | FileCheck %s
// CHECK: %a = maximum %x, %y
// CHECK-NEXT: %b = maximum %y, %x
// CHECK-NEXT: %z = mul %a, %b
func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = maximum %x, %y
  %b = maximum %y, %x
  %z = mul %a, %b
  return %z
}
