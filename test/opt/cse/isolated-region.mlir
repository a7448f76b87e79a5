// A region that sees only its arguments merges ops of its own, and none with those around it.
// RUN: mlgc opt %s --cse | FileCheck %s
// CHECK: %c = constant
// CHECK: fusion
// CHECK-NEXT: %d = constant
// CHECK-NEXT: %s = add %a, %d
// CHECK-NEXT: %t = mul %s, %d
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = constant {value = dense<2.0> : tensor<4xf32>}
  %y = fusion (%a = %x) {
    %d = constant {value = dense<2.0> : tensor<4xf32>}
    %e = constant {value = dense<2.0> : tensor<4xf32>}
    %s = add %a, %d
    %t = mul %s, %e
    yield %t
  } : tensor<4xf32>
  %z = add %c, %y
  return %z
}
