// Only passes that changed something are dumped.
// RUN: mlgc opt %s --dce --dce --print-ir-after-change 2>&1 >/dev/null | FileCheck %s
// CHECK: // -----// IR Dump After dce
// CHECK-NOT: // -----//
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = sin %x
  %a = relu %x
  return %a
}
