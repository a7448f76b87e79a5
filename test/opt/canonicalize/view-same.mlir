// A view with the shape that there was is nothing, at once or by a detour.
// RUN: mlgc opt %s --canonicalize | FileCheck %s
// CHECK: func @same
// CHECK-NEXT: return %x
// CHECK: func @back
// CHECK-NEXT: return %x
func @same(%x: tensor<[B]x4xf32>) -> tensor<[B]x4xf32> {
  %0 = view %x {shape = [B, 4]}
  return %0
}
func @back(%x: tensor<[B]x4x6xf32>) -> tensor<[B]x4x6xf32> {
  %0 = view %x {shape = [B, 24]}
  %1 = view %0 {shape = [B, 4, 6]}
  return %1
}
