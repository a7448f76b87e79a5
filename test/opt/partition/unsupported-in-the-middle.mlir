// An op that is not supported stands between two segments.
// RUN: mlgc opt %s --partition=registry=%S/Inputs/accel.json | FileCheck %s
// CHECK: %m = segment (%0 = %x) attributes {target = "accel"} {
// CHECK-NEXT:   %r = relu %0
// CHECK-NEXT:   %1 = matmul %r, %0
// CHECK-NEXT:   yield %1
// CHECK-NEXT: } : tensor<4x4xf32>
// CHECK-NEXT: %u = exp %m
// CHECK-NEXT: %v = segment (%0 = %u) attributes {target = "accel"} {
// CHECK-NEXT:   %1 = softmax %0 {dim = -1}
// CHECK-NEXT:   yield %1
// CHECK-NEXT: } : tensor<4x4xf32>
// CHECK-NEXT: return %v
func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = relu %x
  %m = matmul %r, %x
  %u = exp %m
  %v = softmax %u {dim = -1}
  return %v
}
