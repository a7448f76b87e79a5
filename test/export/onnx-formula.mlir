// An op without an operator is its formula: letters are axes, leading axes of extent 1 are left to broadcasting.
// RUN: mlgc export %s --to=onnx-text | FileCheck %s
// CHECK: forward (float[4, 3] x, float[5, 3] y) => (float[4, 5] distances)
// CHECK-NEXT:   <int64[3] constant = {4, 1, 3}, int64[1] number = {2}>
// CHECK-NEXT: {
// CHECK-NEXT:   reshape = Reshape (x, constant)
// CHECK-NEXT:   sub = Sub (reshape, y)
// CHECK-NEXT:   abs = Abs (sub)
// CHECK-NEXT:   distances = ReduceSum <keepdims: int = 0> (abs, number)
// CHECK-NEXT: }
func @forward(%x: tensor<4x3xf32>, %y: tensor<5x3xf32>) -> tensor<4x5xf32> {
  %distances = compute %x, %y {formula = "d[i, j] = sum[k](abs(x0[i, k] - x1[j, k])) over i < 4, j < 5, k < 3"} : tensor<4x5xf32>
  return %distances
}
