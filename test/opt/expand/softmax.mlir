// A composite becomes one op for each statement of its formula.
// RUN: mlgc opt %s --expand | FileCheck %s
// CHECK: %[[M:.*]] = compute %x {formula = "y[i0, 0] = stop(max[i1](x0[i0, i1])) over i0 < [B], i1 < 4"} : tensor<[B]x1xf32>
// CHECK: %[[E:.*]] = compute %x, %[[M]] {formula = "y[i2, i3] = exp(x0[i2, i3] - x1[i2, 0])
// CHECK: %[[S:.*]] = compute %[[E]]
// CHECK: compute %[[E]], %[[S]]
// CHECK-NOT: softmax
func @f(%x: tensor<[B]x4xf32>) -> tensor<[B]x4xf32> {
  %y = softmax %x {dim = -1}
  return %y
}
