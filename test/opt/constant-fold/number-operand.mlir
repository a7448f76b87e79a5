// A number may stand for the second operand.
// RUN: mlgc opt %s --constant-fold --dce | FileCheck %s
// CHECK: constant {value = dense<[3.0, -4.0]> : tensor<2xf32>}
// CHECK-NOT: mul
func @f() -> tensor<2xf32> {
  %c = constant {value = dense<[1.5, -2.0]> : tensor<2xf32>}
  %y = mul %c {other = 2.0}
  return %y
}
