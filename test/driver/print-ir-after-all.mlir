// A dump after each pass, on standard error; a pass that changed nothing is dumped too.
// RUN: mlgc opt %s --dce --dce --print-ir-after-all 2>&1 >/dev/null | FileCheck %s
// CHECK: // -----// IR Dump After dce
// CHECK-NOT: sin
// CHECK: // -----// IR Dump After dce
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = sin %x
  %a = relu %x
  return %a
}
