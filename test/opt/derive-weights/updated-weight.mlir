// A weight that a function of the module updates is no constant, in no function.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// CHECK-NOT: @w.
// CHECK: func @forward
// CHECK-NEXT: %w = read @w
// CHECK-NEXT: %n = neg %w
weight @w : tensor<4xf32>
func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = read @w
  %n = neg %w
  %y = add %x, %n
  return %y
}
func @train(%x: tensor<4xf32>) -> tensor<4xf32> updates (@w = %new) {
  %w = read @w
  %new = add %w, %x
  return %new, %new
}
