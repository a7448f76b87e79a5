// Control flow is Python's; functions that are called become methods.
// REQUIRES: libtorch
// RUN: mlgc export %s --to=fx-code | FileCheck %s
// CHECK: class Model(torch.nn.Module):
// CHECK-NEXT:     def call_half(self, x):
// CHECK-NEXT:         half = aten.mul.Scalar(x, other=0.5)
// CHECK-NEXT:         # returns half
// CHECK-NEXT:         return half
// CHECK-EMPTY:
// CHECK-NEXT:     def forward(self, a, h0, xs):
// CHECK-NEXT:         big = aten.gt.Scalar(a, other=1.0)
// CHECK-NEXT:         if big:
// CHECK-NEXT:             call = self.call_half(a)
// CHECK-NEXT:             b = call
// CHECK-NEXT:         else:
// CHECK-NEXT:             b = a
// CHECK-NEXT:         c = b
// CHECK-NEXT:         while True:
// CHECK-NEXT:             go = aten.gt.Scalar(c, other=0.1)
// CHECK-NEXT:             last = c
// CHECK-NEXT:             if not go:
// CHECK-NEXT:                 break
// CHECK-NEXT:             d = last
// CHECK-NEXT:             call_1 = self.call_half(d)
// CHECK-NEXT:             c = call_1
// CHECK-NEXT:         state = h0
// CHECK-NEXT:         hs = []
// CHECK-NEXT:         for i_1 in reversed(range(xs.shape[0])):
// CHECK-NEXT:             x = aten.select.int(xs, dim=0, index=i_1)
// CHECK-NEXT:             next = aten.add.Tensor(x, state, alpha=1)
// CHECK-NEXT:             hs.append(next)
// CHECK-NEXT:             state = next
// CHECK-NEXT:         h = state
// CHECK-NEXT:         hs.reverse()
// CHECK-NEXT:         hs = aten.stack.default(hs) if hs else torch.empty([0, 4], dtype=torch.float32)
// CHECK-NEXT:         # returns last, h, hs
// CHECK-NEXT:         return last, h, hs
func @half(%x: tensor<f32>) -> tensor<f32> {
  %half = mul %x {other = 0.5}
  return %half
}
func @main(%a: tensor<f32>, %h0: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<[T]x4xf32>) {
  %big = gt %a {other = 1.0}
  %b = if %big {
    %0 = call @half, %a
    yield %0
  } else {
    yield %a
  } : tensor<f32>
  %last = while (%c = %b) {
    %go = gt %c {other = 0.1}
    condition %go, %c
  } do (%d: tensor<f32>) {
    %0 = call @half, %d
    yield %0
  }
  %h, %hs = scan %h0, %xs (%state: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1, reverse = true} {
    %next = add %x, %state
    yield %next, %next
  }
  return %last, %h, %hs
}
