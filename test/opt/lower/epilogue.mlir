// What follows a contraction is applied to its element before that is stored. The two selections of `relu`, which differ
// in their slopes alone, are one.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops' | FileCheck %s
// CHECK-LABEL: func @f.0.linear_relu(
// CHECK: for [0, B]
// CHECK-NEXT: for [0, 4]
// CHECK: [[SUM:%.*]] = for [0, 3]
// CHECK: [[V:%.*]] = cast [[SUM]] {dtype = f32}
// CHECK: add [[V]]
// CHECK-NEXT: literal {dtype = f32, value = 0.0}
// CHECK-NEXT: lt
// CHECK-NEXT: where
// CHECK-NEXT: store
// CHECK-NOT: alloc
// CHECK: func @f(
func @f(%x: tensor<[B]x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>) -> tensor<[B]x4xf32> {
  %0 = linear %x, %w, %b
  %1 = relu %0
  return %1
}
