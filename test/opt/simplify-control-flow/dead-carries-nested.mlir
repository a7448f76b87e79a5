// Values that two nested loops carry round for each other only go together.
// RUN: mlgc opt %s --simplify-control-flow | FileCheck %s
// CHECK: %r = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
// CHECK-NEXT: %q = scan %c, %xs (%e: tensor<4xf32>, %y: tensor<4xf32>) attributes {carried = 1} {
// CHECK-NEXT: %s = add %e, %y
// CHECK-NEXT: yield %s
// CHECK-NOT: exp
func @f(%h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r, %n = scan %h, %h, %xs (%c: tensor<4xf32>, %d: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 2} {
    %q, %p = scan %c, %d, %xs (%e: tensor<4xf32>, %g: tensor<4xf32>, %y: tensor<4xf32>) attributes {carried = 2} {
      %s = add %e, %y
      %t = exp %g
      yield %s, %t
    }
    yield %q, %p
  }
  return %r
}
