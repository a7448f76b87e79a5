// -O2 simplifies inside segments, and neither takes them apart nor moves ops across their ends.
// RUN: mlgc opt %s --partition=registry=%S/Inputs/accel.json -O2 | FileCheck %s
// CHECK: %u = segment (%0 = %x) attributes {target = "accel"} {
// CHECK-NEXT:   %a = relu %0
// CHECK-NEXT:   %1 = add %a, %a
// CHECK-NEXT:   yield %1
// CHECK-NEXT: } : tensor<4xf32>
// CHECK-NEXT: %e = exp %u
// CHECK-NEXT: %v = segment (%0 = %x, %1 = %e) attributes {target = "accel"} {
// CHECK-NEXT:   %c = relu %0
// CHECK-NEXT:   %2 = mul %1, %c
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relu %x
  %b = relu %a
  %u = add %a, %b
  %e = exp %u
  %c = relu %x
  %v = mul %e, %c
  return %v
}
