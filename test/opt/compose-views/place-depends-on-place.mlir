// A diagonal of windows reads at places that depend on each other: no single op does that.
// RUN: mlgc opt %s --compose-views | FileCheck %s
// CHECK: unfold
// CHECK: diagonal
func @f(%x: tensor<3x3xi32>) -> tensor<1x3xi32> {
  %w = unfold %x {dimension = 0, size = 3, step = 1}
  %y = diagonal %w {dim1 = -1}
  return %y
}
