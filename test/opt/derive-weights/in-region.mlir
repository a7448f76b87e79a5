// Ops in the regions of a function move too.
// RUN: mlgc opt %s --derive-weights | FileCheck %s
// CHECK: weight @w.sigmoid
// CHECK: func @f
// CHECK: scan
// CHECK-NEXT: %g = read @w.sigmoid
// CHECK-NEXT: mul
weight @w : tensor<4xf32>
func @f(%h: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> tensor<4xf32> {
  %r = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %w = read @w
    %g = sigmoid %w
    %m = mul %c, %g
    %n = add %m, %x
    yield %n
  }
  return %r
}
