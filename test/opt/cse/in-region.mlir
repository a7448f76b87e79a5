// An op in a region merges with an equal one that stands before it around the region; ops in the arms of one `if` do not.
// RUN: mlgc opt %s --cse | FileCheck %s
// CHECK: %a = sin %x
// CHECK-NEXT: if %k
// CHECK-NEXT: %c = cos %a
// CHECK: else
// CHECK-NEXT: %e = cos %a
// CHECK-NEXT: yield %e
func @f(%k: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %a = sin %x
  %y = if %k {
    %b = sin %x
    %c = cos %b
    yield %c
  } else {
    %d = sin %x
    %e = cos %d
    yield %e
  }
  %z = add %a, %y
  return %z
}
