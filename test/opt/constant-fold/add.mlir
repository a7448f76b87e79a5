// An op on constants is computed.
// RUN: mlgc opt %s --constant-fold --dce | FileCheck %s
// CHECK: constant {value = dense<[4.0, 5.0]> : tensor<2xf32>}
// CHECK-NOT: add
func @f() -> tensor<2xf32> {
  %a = constant {value = dense<[1.0, 2.0]> : tensor<2xf32>}
  %b = constant {value = dense<3.0> : tensor<2xf32>}
  %c = add %a, %b
  return %c
}
