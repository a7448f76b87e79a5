// An involution applied twice is nothing.
// RUN: mlgc opt %s --canonicalize | FileCheck %s
// CHECK: func @f
// CHECK-NEXT: return %x
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = neg %x
  %b = neg %a
  return %b
}
