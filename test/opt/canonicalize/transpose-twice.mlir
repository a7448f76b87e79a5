// Swapping the same axes twice is nothing, however they are written.
// RUN: mlgc opt %s --canonicalize | FileCheck %s
// CHECK: func @f
// CHECK-NEXT: return %x
func @f(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = transpose %x {dim0 = 0, dim1 = 2}
  %1 = transpose %0 {dim0 = -1, dim1 = 0}
  return %1
}
