// Attention without queries: there are no rows to share registers, and none to divide these among.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: mlgc eval %s --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %s --random-inputs=1 --backend=cpp --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// CHECK: for [0, 0] (
// SAME: y: agrees
func @f(%q: tensor<12x0x17xf32>, %k: tensor<12x5x17xf32>, %v: tensor<12x5x8xf32>) -> tensor<12x0x8xf32> {
  %y = scaled_dot_product_attention %q, %k, %v
  return %y
}
