// A gather may fail, which is for the call to say: it stays, and its operands may move.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// RUN: mlgc opt %s --derive-weights --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// CHECK: weight @w.neg : tensor<4xf32>
// CHECK: func @f
// CHECK: %y = index_select
// COUNT: may-fail: 1
weight @w : tensor<4xf32>
weight @i : tensor<2xi64>
func @f() -> tensor<2xf32> {
  %w = read @w
  %n = neg %w
  %i = read @i
  %y = index_select %n, %i {dim = 0}
  return %y
}
