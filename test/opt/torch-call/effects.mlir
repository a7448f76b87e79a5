// A call of PyTorch may fail, and does nothing else: equal ones are one, an unread one goes, and one in a loop that may
// never turn stays there.
// RUN: mlgc opt %s --cse --dce --loop-invariant-code-motion | FileCheck %s
// CHECK-LABEL: @merged
// CHECK: torch.call
// CHECK-NOT: torch.call
// CHECK-LABEL: @loop
// CHECK: while
// CHECK: do
// CHECK: torch.call
func @merged(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = torch.call %x {target = "aten::erf", parameters = ["self"]} : tensor<2xf32>
  %b = torch.call %x {target = "aten::erf", parameters = ["self"]} : tensor<2xf32>
  %unread = torch.call %x {target = "aten::erfinv", parameters = ["self"]} : tensor<2xf32>
  %c = add %a, %b
  return %c
}
func @loop(%x: tensor<2xf32>, %n: tensor<i64>) -> tensor<2xf32> {
  %y, %i = while (%v = %x, %k = %n) {
    %go = gt %k {other = 0}
    condition %go, %v, %k
  } do {
    %e = torch.call %x {target = "aten::erf", parameters = ["self"]} : tensor<2xf32>
    %w = add %v, %e
    %next = sub %k {other = 1}
    yield %w, %next
  }
  return %y
}
