// A sum of products is a matrix product, of matrices with all axes that are summed side by side.
// RUN: mlgc export %s --to=onnx-text | FileCheck %s
// CHECK: forward (float[2, 4, 3] x, float[3, 5] w) => (float[2, 5, 4] y)
// CHECK-NEXT:   <int64[4] constant = {2, 1, 4, 3}, int64[3] constant_1 = {1, 8, 3}, int64[4] constant_2 = {1, 5, 1, 3}, int64[2] constant_3 = {5, 3}, int64[3] constant_4 = {2, 4, 5}>
// CHECK-NEXT: {
// CHECK-NEXT:   reshape = Reshape (x, constant)
// CHECK-NEXT:   reshape_1 = Reshape (reshape, constant_1)
// CHECK-NEXT:   transpose = Transpose <perm: ints = [1, 0]> (w)
// CHECK-NEXT:   reshape_2 = Reshape (transpose, constant_2)
// CHECK-NEXT:   reshape_3 = Reshape (reshape_2, constant_3)
// CHECK-NEXT:   transpose_1 = Transpose <perm: ints = [1, 0]> (reshape_3)
// CHECK-NEXT:   matmul = MatMul (reshape_1, transpose_1)
// CHECK-NEXT:   reshape_4 = Reshape (matmul, constant_4)
// CHECK-NEXT:   y = Transpose <perm: ints = [0, 2, 1]> (reshape_4)
// CHECK-NEXT: }
func @forward(%x: tensor<2x4x3xf32>, %w: tensor<3x5xf32>) -> tensor<2x5x4xf32> {
  %y = compute %x, %w {formula = "d[b, j, i] = sum[k](x0[b, i, k]*x1[k, j]) over b < 2, j < 5, i < 4, k < 3"} : tensor<2x5x4xf32>
  return %y
}
