// Regions are entered; what the region yields stays.
// RUN: mlgc opt %s --dce | FileCheck %s
// CHECK: %y = if %c {
// CHECK-NEXT: %b = exp %x
// CHECK-NEXT: yield %b
func @f(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = if %c {
    %a = sin %x
    %b = exp %x
    yield %b
  } else {
    yield %x
  }
  return %y
}
