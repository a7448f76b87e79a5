// A result of an `if` that nobody reads goes from both arms.
// RUN: mlgc opt %s --simplify-control-flow | FileCheck %s
// CHECK: %p = if %k {
// CHECK-NEXT: %s = sin %x
// CHECK-NEXT: yield %s
// CHECK-NEXT: } else {
// CHECK-NEXT: yield %x
// CHECK-NEXT: } : tensor<4xf32>
func @f(%k: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %p, %q = if %k {
    %s = sin %x
    %e = exp %x
    yield %s, %e
  } else {
    %t = cos %x
    yield %x, %t
  }
  return %p
}
