// Ops that differ in an attribute are different.
// RUN: mlgc opt %s --cse | FileCheck %s
// CHECK: %a = leaky_relu
// CHECK-NEXT: %b = leaky_relu
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = leaky_relu %x {negative_slope = 0.1}
  %b = leaky_relu %x {negative_slope = 0.2}
  %y = add %a, %b
  return %y
}
