// A loop is a function that calls itself; results of a scan grow.
// RUN: mlgc export %s --to=relay | FileCheck %s
// CHECK: #[version = "0.0.5"]
// CHECK-NEXT: // result 0: last
// CHECK-NEXT: // result 1: h
// CHECK-NEXT: // result 2: hs
// CHECK-NEXT: def @main(%a: float32, %h0: Tensor[(4,), float32], %xs: Tensor[(?, 4), float32]) -> (float32, Tensor[(4,), float32], Tensor[(?, 4), float32]) {
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
// CHECK-NEXT:       let %half_1: float32 = multiply(%0, 0.5f);
// CHECK-NEXT:       %loop(%half_1)
// CHECK-NEXT:     } else {
// CHECK-NEXT:       (%0,)
// CHECK-NEXT:     }
// CHECK-NEXT:   };
// CHECK-NEXT:   let %1: (float32,) = %loop(%b);
// CHECK-NEXT:   let %last: float32 = %1.0;
// CHECK-NEXT:   let %2: Tensor[(2,), int64] = shape_of(%xs, dtype="int64");
// CHECK-NEXT:   let %3: int64 = take(%2, 0i64, axis=0);
// CHECK-NEXT:   let %4: Tensor[(0, 4), float32] = full(0.0f, shape=[0, 4], dtype="float32");
// CHECK-NEXT:   let %loop_1 = fn (%5: int64, %6: Tensor[(4,), float32], %7: Tensor[(?, 4), float32]) -> (int64, Tensor[(4,), float32], Tensor[(?, 4), float32]) {
// CHECK-NEXT:     let %8: bool = less(%5, %3);
// CHECK-NEXT:     if (%8) {
// CHECK-NEXT:       let %9: int64 = subtract(%3, 1i64);
// CHECK-NEXT:       let %10: int64 = subtract(%9, %5);
// CHECK-NEXT:       let %11: Tensor[(4,), float32] = take(%xs, %10, axis=0);
// CHECK-NEXT:       let %next: Tensor[(4,), float32] = add(%11, %6);
// CHECK-NEXT:       let %12: int64 = add(%5, 1i64);
// CHECK-NEXT:       let %13: Tensor[(1, 4), float32] = expand_dims(%next, axis=0);
// CHECK-NEXT:       let %14: Tensor[(?, 4), float32] = concatenate((%13, %7), axis=0);
// CHECK-NEXT:       %loop_1(%12, %next, %14)
// CHECK-NEXT:     } else {
// CHECK-NEXT:       (%5, %6, %7)
// CHECK-NEXT:     }
// CHECK-NEXT:   };
// CHECK-NEXT:   let %15: (int64, Tensor[(4,), float32], Tensor[(?, 4), float32]) = %loop_1(0i64, %h0, %4);
// CHECK-NEXT:   let %h: Tensor[(4,), float32] = %15.1;
// CHECK-NEXT:   let %hs: Tensor[(?, 4), float32] = %15.2;
// CHECK-NEXT:   (%last, %h, %hs)
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
