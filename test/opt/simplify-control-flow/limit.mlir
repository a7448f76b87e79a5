// What goes of one op of a function is one change.
// RUN: mlgc opt %s --simplify-control-flow --rewrites-limit=0 | FileCheck %s --check-prefix=NONE
// RUN: mlgc opt %s --simplify-control-flow --rewrites-limit=1 | FileCheck %s --check-prefix=ONE
// NONE: %r, %n = scan
// NONE: %q, %o = scan
// ONE: %r, %n = scan
// ONE: %q = scan
func @f(%h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r, %n = scan %h, %h, %xs (%c: tensor<4xf32>, %d: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 2} {
    %s = add %c, %x
    %e = neg %d
    yield %s, %e
  }
  %q, %o = scan %r, %n, %xs (%c: tensor<4xf32>, %d: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 2} {
    %s = add %c, %x
    %e = neg %d
    yield %s, %e
  }
  return %q
}
