// Of two views the last shape counts.
// RUN: mlgc opt %s --canonicalize | FileCheck %s
// CHECK: func @f
// CHECK-NEXT: view %x {shape = [2*B, 12]} : tensor<[2*B]x12xf32>
// CHECK-NEXT: return
func @f(%x: tensor<[B]x4x6xf32>) -> tensor<[2*B]x12xf32> {
  %0 = view %x {shape = [B, 24]}
  %1 = view %0 {shape = [2*B, 12]}
  return %1
}
