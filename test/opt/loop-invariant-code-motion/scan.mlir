// What does not depend on the turn is computed before the loop.
// RUN: mlgc opt %s --loop-invariant-code-motion | FileCheck %s
// CHECK: %g = sigmoid %w
// CHECK-NEXT: scan
// CHECK-NEXT: %m = mul %c, %g
func @f(%w: tensor<4xf32>, %h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %g = sigmoid %w
    %m = mul %c, %g
    %n = add %m, %x
    yield %n
  }
  return %r
}
