// A dump before the passes that are named.
// RUN: mlgc opt %s --dce --print-ir-before=dce 2>&1 >/dev/null | FileCheck %s
// CHECK: // -----// IR Dump Before dce
// CHECK: %dead = sin %x
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %dead = sin %x
  %a = relu %x
  return %a
}
