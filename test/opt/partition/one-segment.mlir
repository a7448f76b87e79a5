// What the target supports from end to end is one segment; the weight is read inside it.
// RUN: mlgc opt %s --partition=registry=%S/Inputs/accel.json | FileCheck %s
// CHECK: func @f(%x: tensor<[B]x8xf32>) -> tensor<[B]x4xf32> {
// CHECK-NEXT: %v = segment (%0 = %x) attributes {target = "accel"} {
// CHECK-NEXT:   %w = read @w : tensor<8x4xf32>
// CHECK-NEXT:   %r = relu %0 : tensor<[B]x8xf32>
// CHECK-NEXT:   %m = matmul %r, %w : tensor<[B]x4xf32>
// CHECK-NEXT:   %1 = softmax %m {dim = -1} : tensor<[B]x4xf32>
// CHECK-NEXT:   yield %1
// CHECK-NEXT: } : tensor<[B]x4xf32>
// CHECK-NEXT: return %v
weight @w : tensor<8x4xf32>
func @f(%x: tensor<[B]x8xf32>) -> tensor<[B]x4xf32> {
  %w = read @w
  %r = relu %x
  %m = matmul %r, %w
  %v = softmax %m {dim = -1}
  return %v
}
