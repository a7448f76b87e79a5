// Operands of a commutative op may stand in either order.
// RUN: mlgc opt %s --cse | FileCheck %s
// CHECK: %a = add %x, %y
// CHECK-NEXT: %z = mul %a, %a
func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = add %x, %y
  %b = add %y, %x
  %z = mul %a, %b
  return %z
}
