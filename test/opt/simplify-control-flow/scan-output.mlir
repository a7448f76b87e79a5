// A stacked result that nobody reads is not stacked.
// RUN: mlgc opt %s --simplify-control-flow | FileCheck %s
// CHECK: %r = scan
// CHECK-NEXT: %s = add %c, %x
// CHECK-NEXT: yield %s
// CHECK-NEXT: } : tensor<4xf32>
func @f(%h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r, %ys = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %s = add %c, %x
    %e = exp %s
    yield %s, %e
  }
  return %r
}
