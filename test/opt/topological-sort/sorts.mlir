// Uses before definitions: in one region, from inside of another one, as what a loop starts with, without stated types.
// RUN: mlgc opt %s --topological-sort | FileCheck %s
// CHECK:      func @f(%x: tensor<4xf32>, %k: tensor<i1>) -> tensor<4xf32> {
// CHECK-NEXT:   %b = relu %x : tensor<4xf32>
// CHECK-NEXT:   %y = add %b, %x : tensor<4xf32>
// CHECK-NEXT:   %r = if %k {
// CHECK-NEXT:     %z = relu %y : tensor<4xf32>
// CHECK-NEXT:     %q = add %z, %b : tensor<4xf32>
// CHECK-NEXT:     yield %q
// CHECK-NEXT:   } else {
// CHECK-NEXT:     yield %b
// CHECK-NEXT:   } : tensor<4xf32>
// CHECK-NEXT:   %0, %1 = topk %y {k = 4} : tensor<4xf32>, tensor<4xi64>
// CHECK-NEXT:   %w = scan %0, %x (%c: tensor<4xf32>, %e: tensor<f32>) attributes {carried = 1} {
// CHECK-NEXT:     %n = add %c, %e : tensor<4xf32>
// CHECK-NEXT:     yield %n
// CHECK-NEXT:   } : tensor<4xf32>
// CHECK-NEXT:   %s = add %r, %w : tensor<4xf32>
// CHECK-NEXT:   return %s
func @f(%x: tensor<4xf32>, %k: tensor<i1>) -> tensor<4xf32> {
  %r = if %k {
    %q = add %z, %b
    %z = relu %y
    yield %q
  } else {
    yield %b
  }
  %w = scan %t#0, %x (%c: tensor<4xf32>, %e: tensor<f32>) attributes {carried = 1} {
    %n = add %c, %e
    yield %n
  }
  %t:2 = topk %y {k = 4}
  %y = add %b, %x
  %s = add %r, %w
  %b = relu %x
  return %s
}
