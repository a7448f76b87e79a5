// A scan over nothing gives what it starts with, and stacks of nothing.
// RUN: mlgc opt %s --simplify-control-flow | FileCheck %s
// RUN: mlgc opt %s --simplify-control-flow -o %t.mlir
// RUN: mlgc opt %t.mlir | diff %t.mlir -
// CHECK: func @f
// CHECK-NEXT: %[[S:.*]] = constant {{.*}} : tensor<0x4xf32>
// CHECK-NEXT: return %h, %[[S]]
func @f(%h: tensor<4xf32>, %xs: tensor<0x4xf32>) -> (tensor<4xf32>, tensor<0x4xf32>) {
  %r, %ys = scan %h, %xs (%c: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1} {
    %s = add %c, %x
    yield %s, %c
  }
  return %r, %ys
}
