// A derived weight that the module has already is read where the function computes the same.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// CHECK: weight @mine
// CHECK-NOT: weight
// CHECK: func @f
// CHECK-NEXT: read @mine
weight @w : tensor<4xf32>
weight @mine : tensor<4xf32> = {
  %w = read @w
  %n = neg %w
  yield %n
}
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = read @w
  %n = neg %w
  %y = add %x, %n
  return %y
}
