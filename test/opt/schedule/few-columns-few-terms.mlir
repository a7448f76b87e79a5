// Products of fewer columns than lanes, and of few terms, have the lanes along a loop further outside, whose operand is
// packed once for all that share it; with as many columns as lanes they have them along these.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: mlgc eval %s --function=heads --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=narrow --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// SAME: y by cpp: agrees
// CHECK-LABEL: func @heads.0.einsum(
// CHECK: for [0, 32] (%{{.*}}: index) attributes {kind = "vector", lanes = 32} {
// CHECK: attributes {schedule.strategy = "outer-product-tiles-of-outer-loop"}
// CHECK-LABEL: func @narrow.0.matmul(
// CHECK: attributes {schedule.strategy = "outer-product-tiles-of-outer-loop"}
// CHECK-LABEL: func @columns.0.matmul(
// CHECK: attributes {schedule.strategy = "outer-product-tiles"}
func @heads(%x: tensor<7x32x9xf32>, %w: tensor<5x9x3xf32>) -> tensor<7x5x32x3xf32> {
  %y = einsum %x, %w {equation = "bnd,hde->bhne"}
  return %y
}
func @narrow(%x: tensor<5x44x15xf32>, %w: tensor<5x15x2xf32>) -> tensor<5x44x2xf32> {
  %y = matmul %x, %w
  return %y
}
func @columns(%x: tensor<5x44x15xf32>, %w: tensor<5x15x4xf32>) -> tensor<5x44x4xf32> {
  %y = matmul %x, %w
  return %y
}
