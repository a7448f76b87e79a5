// A divisor that may be 0 is for the call to report; one that the function bounds is not.
// RUN: mlgc opt %s --simplify-shapes | FileCheck %s
// CHECK: %q = dim [B floordiv S]
// CHECK-NEXT: %r = remainder %s, %b
func @f(%x: tensor<[B]x[S]xf32>) -> (tensor<i64>, tensor<i64>) where 1 <= S {
  %b = dim [B]
  %s = dim [S]
  %q = floor_divide %b, %s
  %r = remainder %s, %b
  return %q, %r
}
