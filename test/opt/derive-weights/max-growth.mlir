// How much larger a derived weight may be is an option.
// RUN: mlgc opt %s --derive-weights=max-growth=8 | FileCheck %s
// CHECK: weight @w.expand : tensor<8x4xf32>
// CHECK: func @f
// CHECK-NEXT: %e = read @w.expand
// CHECK-NEXT: return %e
weight @w : tensor<4xf32>
func @f() -> tensor<8x4xf32> {
  %w = read @w
  %n = neg %w
  %e = expand %n {size = [8, 4]}
  return %e
}
