// An arm of an `if` may not run: nothing moves out of it.
// RUN: mlgc opt %s --loop-invariant-code-motion | FileCheck %s
// CHECK: scan
// CHECK: if
// CHECK-NEXT: %g = sigmoid %w
func @f(%k: tensor<i1>, %w: tensor<4xf32>, %h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %m = if %k {
      %g = sigmoid %w
      yield %g
    } else {
      yield %c
    }
    %n = add %m, %x
    yield %n
  }
  return %r
}
