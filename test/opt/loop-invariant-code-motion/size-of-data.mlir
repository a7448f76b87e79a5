// What speaks of a size that an op in the loop finds stays after that op.
// RUN: mlgc opt %s --loop-invariant-code-motion | FileCheck %s
// CHECK: scan
// CHECK-NEXT: nonzero
// CHECK-NEXT: dim [u]
func @f(%h: tensor<i64>, %xs: tensor<[T]x4xf32>) -> tensor<i64> {
  %r = scan %h, %xs (%c: tensor<i64>, %x: tensor<4xf32>) attributes {carried = 1} {
    %p = nonzero %x : tensor<[u]x1xi64> where u <= 4
    %d = dim [u]
    %n = add %c, %d
    yield %n
  }
  return %r
}
