// What is larger than the weights that it comes from stays; what it comes from moves.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// CHECK: weight @w.neg : tensor<4xf32>
// CHECK: %n = read @w.neg
// CHECK-NEXT: %e = expand %n
weight @w : tensor<4xf32>
func @f() -> tensor<8x4xf32> {
  %w = read @w
  %n = neg %w
  %e = expand %n {size = [8, 4]}
  return %e
}
