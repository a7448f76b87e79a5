// What was computed is a constant for the next op.
// RUN: mlgc opt %s --constant-fold --dce | FileCheck %s
// CHECK: constant {value = dense<-9> : tensor<i64>}
// CHECK-NEXT: return
func @f() -> tensor<i64> {
  %a = constant {value = dense<3> : tensor<i64>}
  %b = mul %a, %a
  %c = neg %b
  return %c
}
