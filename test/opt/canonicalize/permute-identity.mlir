// Axes in their own order are nothing; equal sizes in another order are something.
// RUN: mlgc opt %s --canonicalize | FileCheck %s
// CHECK: func @same
// CHECK-NEXT: return %x
// CHECK: func @other
// CHECK-NEXT: permute %x {dims = [1, 0]}
func @same(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = permute %x {dims = [0, -1]}
  return %0
}
func @other(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = permute %x {dims = [1, 0]}
  return %0
}
