// A segment of fewer ops is not formed, and its ops do not move.
// RUN: mlgc opt %s --pass-pipeline='partition{registry=%S/Inputs/accel.json min-ops=2}' | FileCheck %s
// RUN: mlgc opt %s --pass-pipeline='partition{registry=%S/Inputs/accel.json min-ops=2}' --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// CHECK: %a = relu %x
// CHECK-NEXT: %u = exp %a
// CHECK-NEXT: %c = segment (%0 = %u) attributes {target = "accel"} {
// CHECK-NEXT:   %b = relu %0
// CHECK-NEXT:   %1 = add %b, %b
// COUNT: segments-formed: 1
// COUNT-NEXT: ops-inside: 2
// COUNT-NEXT: ops-outside: 2
// COUNT-NEXT: too-small: 1
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relu %x
  %u = exp %a
  %b = relu %u
  %c = add %b, %b
  return %c
}
