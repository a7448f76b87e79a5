// A size of the call is not known when weights are loaded.
// RUN: mlgc opt %s --derive-weights=max-growth=1000 | FileCheck %s
// CHECK-NOT: weight @w.
// CHECK: %e = expand %w
weight @w : tensor<4xf32>
func @f(%x: tensor<[B]xf32>) -> tensor<[B]x4xf32> {
  %w = read @w
  %e = expand %w {size = [B, 4]}
  return %e
}
