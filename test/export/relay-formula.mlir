// What no operator computes is its formula.
// RUN: mlgc export %s --to=relay | FileCheck %s
// CHECK: #[version = "0.0.5"]
// CHECK-NEXT: // result 0: distances
// CHECK-NEXT: // result 1: rows
// CHECK-NEXT: // result 2: y
// CHECK-NEXT: def @main(%x: Tensor[(4, 3), float32], %table: Tensor[(9, 2), float32], %i: Tensor[(5,), int64]) -> (Tensor[(4, 4), float32], Tensor[(5, 2), float32], Tensor[(4, 3), float32]) {
// CHECK-NEXT:   let %0: Tensor[(4, 1, 3), float32] = reshape(%x, newshape=[4, 1, 3]);
// CHECK-NEXT:   let %1: Tensor[(1, 4, 3), float32] = reshape(%x, newshape=[1, 4, 3]);
// CHECK-NEXT:   let %2: Tensor[(4, 4, 3), float32] = subtract(%0, %1);
// CHECK-NEXT:   let %3: Tensor[(4, 4, 3), float32] = abs(%2);
// CHECK-NEXT:   let %distances: Tensor[(4, 4), float32] = sum(%3, axis=[2], keepdims=False);
// CHECK-NEXT:   let %rows: Tensor[(5, 2), float32] = take(%table, %i, axis=0);
// CHECK-NEXT:   let %4: Tensor[(4, 3), float32] = multiply(%x, 0.5f);
// CHECK-NEXT:   let %5: Tensor[(4, 3), float32] = multiply(%x, 0.70710677f);
// CHECK-NEXT:   let %6: Tensor[(4, 3), float32] = erf(%5);
// CHECK-NEXT:   let %7: Tensor[(4, 3), float32] = add(1.0f, %6);
// CHECK-NEXT:   let %y: Tensor[(4, 3), float32] = multiply(%4, %7);
// CHECK-NEXT:   (%distances, %rows, %y)
// CHECK-NEXT: }
func @forward(%x: tensor<4x3xf32>, %table: tensor<9x2xf32>, %i: tensor<5xi64>) -> (tensor<4x4xf32>, tensor<5x2xf32>, tensor<4x3xf32>) {
  %distances = compute %x, %x {formula = "d[i, j] = sum[k](abs(x0[i, k] - x1[j, k])) over i < 4, j < 4, k < 3"} : tensor<4x4xf32>
  %rows = embedding %table, %i
  %y = gelu %x
  return %distances, %rows, %y
}
