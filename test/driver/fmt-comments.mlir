// RUN: mlgc fmt %s | FileCheck %s
// Comments stay where they are.
// CHECK: {{^}}// Comments stay where they are.
// CHECK: {{^  }}%a = relu %x
// CHECK-SAME: // and this one
func   @f(%x:tensor<4xf32>)->tensor<4xf32>{
      %a=relu %x   // and this one
return %a
}
