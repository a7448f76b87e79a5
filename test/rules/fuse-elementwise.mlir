// A chain of elementwise ops is one region, with what it reads as operands; a value read elsewhere ends it.
// RUN: mlgc opt %s --rules=fuse-elementwise | FileCheck %s
// RUN: mlgc opt %s --rules=fuse-elementwise --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=RULES
// CHECK-LABEL: func @tree
// CHECK-NEXT: %0 = fusion (%1 = %x, %2 = %y) attributes {kind = "elementwise-chain"} {
// CHECK-COUNT-4: = {{exp|tanh|mul|add}}
// CHECK: return %0
// CHECK-LABEL: func @shared
// CHECK: %a = fusion
// CHECK: %d = fusion
// CHECK: return %a, %d
// RULES: rule elementwise-chain: 3
func @tree(%x: tensor<[B]x4xf32>, %y: tensor<4xf32>) -> tensor<[B]x4xf32> {
  %0 = exp %x
  %1 = tanh %y
  %2 = mul %0, %1
  %3 = add %2, %x
  return %3
}
func @shared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = neg %x
  %a = exp %n
  %c = tanh %a
  %d = neg %c
  return %a, %d
}
