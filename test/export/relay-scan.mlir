// Results of a scan grow by a slice in each turn.
// RUN: mlgc export %s --to=relay | FileCheck %s
// CHECK: #[version = "0.0.5"]
// CHECK-NEXT: // result 0: h
// CHECK-NEXT: // result 1: hs
// CHECK-NEXT: def @main(%h0: Tensor[(4,), float32], %xs: Tensor[(?, 4), float32]) -> (Tensor[(4,), float32], Tensor[(?, 4), float32]) {
// CHECK-NEXT:   let %0: Tensor[(2,), int64] = shape_of(%xs, dtype="int64");
// CHECK-NEXT:   let %1: int64 = take(%0, 0i64, axis=0);
// CHECK-NEXT:   let %2: Tensor[(0, 4), float32] = full(0.0f, shape=[0, 4], dtype="float32");
// CHECK-NEXT:   let %loop = fn (%3: int64, %4: Tensor[(4,), float32], %5: Tensor[(?, 4), float32]) -> (int64, Tensor[(4,), float32], Tensor[(?, 4), float32]) {
// CHECK-NEXT:     let %6: bool = less(%3, %1);
// CHECK-NEXT:     if (%6) {
// CHECK-NEXT:       let %7: int64 = subtract(%1, 1i64);
// CHECK-NEXT:       let %8: int64 = subtract(%7, %3);
// CHECK-NEXT:       let %9: Tensor[(4,), float32] = take(%xs, %8, axis=0);
// CHECK-NEXT:       let %next: Tensor[(4,), float32] = add(%9, %4);
// CHECK-NEXT:       let %10: int64 = add(%3, 1i64);
// CHECK-NEXT:       let %11: Tensor[(1, 4), float32] = expand_dims(%next, axis=0);
// CHECK-NEXT:       let %12: Tensor[(?, 4), float32] = concatenate((%11, %5), axis=0);
// CHECK-NEXT:       %loop(%10, %next, %12)
// CHECK-NEXT:     } else {
// CHECK-NEXT:       (%3, %4, %5)
// CHECK-NEXT:     }
// CHECK-NEXT:   };
// CHECK-NEXT:   let %13: (int64, Tensor[(4,), float32], Tensor[(?, 4), float32]) = %loop(0i64, %h0, %2);
// CHECK-NEXT:   let %h: Tensor[(4,), float32] = %13.1;
// CHECK-NEXT:   let %hs: Tensor[(?, 4), float32] = %13.2;
// CHECK-NEXT:   (%h, %hs)
// CHECK-NEXT: }
func @main(%h0: tensor<4xf32>, %xs: tensor<[T]x4xf32>) -> (tensor<4xf32>, tensor<[T]x4xf32>) {
  %h, %hs = scan %h0, %xs (%state: tensor<4xf32>, %x: tensor<4xf32>) attributes {carried = 1, reverse = true} {
    %next = add %x, %state
    yield %next, %next
  }
  return %h, %hs
}
