// A loop that runs at least once fails in any case: what may fail moves.
// RUN: mlgc opt %s --loop-invariant-code-motion | FileCheck %s
// CHECK: %g = index_select
// CHECK-NEXT: scan
func @f(%w: tensor<4xf32>, %i: tensor<4xi64>, %h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> where 1 <= T {
  %r = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %g = index_select %w, %i {dim = 0}
    %n = add %g, %x
    %m = mul %n, %c
    yield %m
  }
  return %r
}
