// A state, and a weight that a function updates, come in as operands; a weight that never changes is read inside.
// RUN: mlgc opt %s --partition=registry=%S/Inputs/accel.json | FileCheck %s
// CHECK: func @step(%x: tensor<4xf32>) -> tensor<4xf32> updates (@s = %n, @v = %y) {
// CHECK-NEXT: %o = read @s
// CHECK-NEXT: %v = read @v
// CHECK-NEXT: %n, %y = segment (%0 = %x, %1 = %o, %2 = %v) attributes {target = "accel"} {
// CHECK-NEXT:   %w = read @w
// CHECK-NEXT:   %3 = add %0, %1
// CHECK-NEXT:   %m = mul %3, %2
// CHECK-NEXT:   %4 = mul %m, %w
// CHECK-NEXT:   yield %3, %4
// CHECK-NEXT: } : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: return %y, %n, %y
weight @w : tensor<4xf32>
weight @v : tensor<4xf32>
state @s : tensor<4xf32>
func @step(%x: tensor<4xf32>) -> tensor<4xf32> updates (@s = %n, @v = %y) {
  %w = read @w
  %o = read @s
  %v = read @v
  %n = add %x, %o
  %m = mul %n, %v
  %y = mul %m, %w
  return %y, %n, %y
}
