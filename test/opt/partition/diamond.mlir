// `relu` and `add` in one segment would need `exp`, which needs `relu`: two segments.
// RUN: mlgc opt %s --partition=registry=%S/Inputs/accel.json | FileCheck %s
// CHECK: %a = segment (%0 = %x) attributes {target = "accel"} {
// CHECK-NEXT:   %1 = relu %0
// CHECK-NEXT:   yield %1
// CHECK-NEXT: } : tensor<4xf32>
// CHECK-NEXT: %u = exp %a
// CHECK-NEXT: %b = segment (%0 = %a, %1 = %u) attributes {target = "accel"} {
// CHECK-NEXT:   %2 = add %0, %1
// CHECK-NEXT:   yield %2
// CHECK-NEXT: } : tensor<4xf32>
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relu %x
  %u = exp %a
  %b = add %a, %u
  return %b
}
