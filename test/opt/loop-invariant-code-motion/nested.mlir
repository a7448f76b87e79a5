// An op moves out of all the loops around it at once, or to where the value is that it needs.
// RUN: mlgc opt %s --loop-invariant-code-motion | FileCheck %s
// CHECK: %a = exp %w
// CHECK-NEXT: scan
// CHECK-NEXT: %b = neg %x
// CHECK-NEXT: scan
// CHECK-NEXT: %n = mul
func @f(%w: tensor<4xf32>, %h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %q = scan %c, %xs (%d: tensor<4xf32>, %z: tensor<4xf32>) attributes {carried = 1} {
      %a = exp %w
      %b = neg %x
      %n = mul %d, %z
      %o = add %n, %a
      %p = add %o, %b
      yield %p
    }
    yield %q
  }
  return %r
}
