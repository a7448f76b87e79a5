// Two functions that compute the same from the same weight read one derived weight.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// RUN: mlgc opt %s --derive-weights --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// CHECK: weight @w.neg : tensor<4xf32>
// CHECK-NOT: weight
// CHECK: func @f
// CHECK-NEXT: read @w.neg
// CHECK: func @g
// CHECK-NEXT: read @w.neg
// COUNT: weights-derived: 1
// COUNT-NEXT: weights-shared: 1
weight @w : tensor<4xf32>
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = read @w
  %n = neg %w
  %y = add %x, %n
  return %y
}
func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v = read @w
  %m = neg %v
  %y = mul %x, %m
  return %y
}
