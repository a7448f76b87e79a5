// A loop is a function that calls itself.
// RUN: mlgc export %s --to=relay | FileCheck %s
// CHECK: #[version = "0.0.5"]
// CHECK-NEXT: // result 0: last
// CHECK-NEXT: def @main(%a: float32) -> float32 {
// CHECK-NEXT:   let %big: bool = less(1.0f, %a);
// CHECK-NEXT:   let %b: float32 = if (%big) {
// CHECK-NEXT:     let %half: float32 = multiply(%a, 0.5f);
// CHECK-NEXT:     %half
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %a
// CHECK-NEXT:   };
// CHECK-NEXT:   let %loop = fn (%0: float32) -> (float32,) {
// CHECK-NEXT:     let %go: bool = less(0.1f, %0);
// CHECK-NEXT:     if (%go) {
// CHECK-NEXT:       let %less: float32 = multiply(%0, 0.5f);
// CHECK-NEXT:       %loop(%less)
// CHECK-NEXT:     } else {
// CHECK-NEXT:       (%0,)
// CHECK-NEXT:     }
// CHECK-NEXT:   };
// CHECK-NEXT:   let %1: (float32,) = %loop(%b);
// CHECK-NEXT:   let %last: float32 = %1.0;
// CHECK-NEXT:   %last
// CHECK-NEXT: }
func @main(%a: tensor<f32>) -> tensor<f32> {
  %big = gt %a {other = 1.0}
  %b = if %big {
    %half = mul %a {other = 0.5}
    yield %half
  } else {
    yield %a
  } : tensor<f32>
  %last = while (%c = %b) {
    %go = gt %c {other = 0.1}
    condition %go, %c
  } do (%d: tensor<f32>) {
    %less = mul %d {other = 0.5}
    yield %less
  }
  return %last
}
