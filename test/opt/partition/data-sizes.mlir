// What binds a size is in no segment, and stands before all that speak of the size: a segment that waits for nothing else,
// and `dim`, which is copied into it.
// RUN: mlgc opt %s --partition=registry=everything | FileCheck %s
// CHECK: %r = segment (%0 = %x) attributes {target = "everything"} {
// CHECK-NEXT:   %1 = relu %0
// CHECK-NEXT:   yield %1
// CHECK-NEXT: } : tensor<4xf32>
// CHECK-NEXT: %v = nonzero %r : tensor<[u0]x1xi64>
// CHECK-NEXT: %o = segment (%0 = %v) attributes {target = "everything"} {
// CHECK-NEXT:   %1 = sum %0
// CHECK-NEXT:   yield %1
// CHECK-NEXT: } : tensor<i64>
// CHECK-NEXT: %q = segment attributes {target = "everything"} {
// CHECK-NEXT:   %n = dim [u0] : tensor<i64>
// CHECK-NEXT:   %0 = mul %n, %n
// CHECK-NEXT:   yield %0
// CHECK-NEXT: } : tensor<i64>
// CHECK-NEXT: return %o, %q
func @f(%x: tensor<4xf32>) -> (tensor<i64>, tensor<i64>) {
  %r = relu %x
  %v = nonzero %r : tensor<[u0]x1xi64>
  %o = sum %v
  %n = dim [u0]
  %q = mul %n, %n
  return %o, %q
}
