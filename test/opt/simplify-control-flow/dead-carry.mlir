// A carried value that nobody reads and that feeds only itself goes, and what computed it.
// RUN: mlgc opt %s --simplify-control-flow | FileCheck %s
// CHECK: %r = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
// CHECK-NEXT: %s = add %c, %x
// CHECK-NEXT: yield %s
func @f(%h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r, %n = scan %h, %h, %xs (%c: tensor<4xf32>, %d: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 2} {
    %s = add %c, %x
    %e = neg %d
    yield %s, %e
  }
  return %r
}
