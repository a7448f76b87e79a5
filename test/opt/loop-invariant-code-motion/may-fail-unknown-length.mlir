// A sequence may be empty, and then nothing fails: what may fail stays.
// RUN: mlgc opt %s --loop-invariant-code-motion | FileCheck %s
// RUN: mlgc opt %s --loop-invariant-code-motion --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// CHECK: scan
// CHECK-NEXT: %g = index_select
// COUNT: may-fail: 1
func @f(%w: tensor<4xf32>, %i: tensor<4xi64>, %h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %g = index_select %w, %i {dim = 0}
    %n = add %g, %x
    %m = mul %n, %c
    yield %m
  }
  return %r
}
