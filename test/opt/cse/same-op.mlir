// Two ops that compute the same become one.
// RUN: mlgc opt %s --cse | FileCheck %s
// CHECK: %a = sin %x
// CHECK-NEXT: %y = add %a, %a
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = sin %x
  %b = sin %x
  %y = add %a, %b
  return %y
}
