// Two permutations are one.
// RUN: mlgc opt %s --canonicalize | FileCheck %s
// CHECK: func @f
// CHECK-NEXT: permute %x {dims = [1, 2, 0]} : tensor<3x[B]x2xf32>
// CHECK-NEXT: return
func @f(%x: tensor<2x3x[B]xf32>) -> tensor<3x[B]x2xf32> {
  %0 = permute %x {dims = [2, 0, 1]}
  %1 = permute %0 {dims = [-1, 0, 1]}
  return %1
}
