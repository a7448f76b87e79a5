// Flags run in their order: cse makes an op dead, dce after it removes what it left.
// RUN: mlgc opt %s --cse --dce --print-ir-after-all 2>&1 >/dev/null | FileCheck %s
// CHECK: IR Dump After cse
// CHECK: IR Dump After dce
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = sin %x
  return %a
}
