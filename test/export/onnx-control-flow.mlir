// Control flow has graphs in attributes; a loop computes its condition before, and at the end of each step.
// RUN: mlgc export %s --to=onnx-text | FileCheck %s
// CHECK: main (float a, float[4] h0, float[T, 4] xs) => (float last, float[4] h, float[T, 4] hs)
// CHECK-NEXT:   <float number = {1.0}, float number_1 = {0.5}, float number_2 = {0.1}>
// CHECK-NEXT: {
// CHECK-NEXT:   big = Less (number, a)
// CHECK-NEXT:   b = If <then_branch: graph = then () => (float half) {
// CHECK-NEXT:     half = Mul (a, number_1)
// CHECK-NEXT:   }, else_branch: graph = else () => (float identity) {
// CHECK-NEXT:     identity = Identity (a)
// CHECK-NEXT:   }> (big)
// CHECK-NEXT:   go = Less (number_2, b)
// CHECK-NEXT:   last = Loop <body: graph = body (int64 step, bool goes_on, float item) => (bool go_1, float half_1) {
// CHECK-NEXT:     half_1 = Mul (item, number_1)
// CHECK-NEXT:     go_1 = Less (number_2, half_1)
// CHECK-NEXT:   }> (, go, b)
// CHECK-NEXT:   h, hs = Scan <body: graph = body (float[4] item_1, float[4] item_2) => (float[4] next, float[4] identity_1) {
// CHECK-NEXT:     next = Add (item_2, item_1)
// CHECK-NEXT:     identity_1 = Identity (next)
// CHECK-NEXT:   }, num_scan_inputs: int = 1, scan_input_directions: ints = [1], scan_output_directions: ints = [1]> (h0, xs)
// CHECK-NEXT: }
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
