// The first `relu` could run before `exp`; it waits for the segment that reads it, and stands behind `exp` then.
// RUN: mlgc opt %s --partition=registry=%S/Inputs/accel.json | FileCheck %s
// CHECK: %u = exp %x
// CHECK-NEXT: %c = segment (%0 = %x, %1 = %u) attributes {target = "accel"} {
// CHECK-NEXT:   %a = relu %0
// CHECK-NEXT:   %b = relu %1
// CHECK-NEXT:   %2 = add %a, %b
// CHECK-NEXT:   yield %2
// CHECK-NEXT: } : tensor<4xf32>
// CHECK-NEXT: return %c
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relu %x
  %u = exp %x
  %b = relu %u
  %c = add %a, %b
  return %c
}
