// An op whose results nobody reads goes, and then what only it read.
// RUN: mlgc opt %s --dce | FileCheck %s
// CHECK: func @f
// CHECK-NEXT: return %x
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = sin %x
  %b = exp %a
  return %x
}
