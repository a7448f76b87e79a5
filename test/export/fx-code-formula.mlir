// An op that no operator computes is its formula: letters are axes, reads gather, reductions reduce axes.
// REQUIRES: libtorch
// RUN: mlgc export %s --to=fx-code | FileCheck %s
// CHECK:     def forward(self, x, y):
// CHECK-NEXT:         t = aten.reshape.default(x, shape=[4, 1, 3])
// CHECK-NEXT:         t_1 = aten.reshape.default(y, shape=[1, 5, 3])
// CHECK-NEXT:         t_2 = aten.sub.Tensor(t, t_1)
// CHECK-NEXT:         t_3 = aten.abs.default(t_2)
// CHECK-NEXT:         t_4 = aten.sum.dim_IntList(t_3, dim=[2], dtype=torch.float32)
// CHECK-NEXT:         distances = aten.alias.default(t_4)
// CHECK-NEXT:         # returns distances
// CHECK-NEXT:         return distances
func @forward(%x: tensor<4x3xf32>, %y: tensor<5x3xf32>) -> tensor<4x5xf32> {
  %distances = compute %x, %y {formula = "d[i, j] = sum[k](abs(x0[i, k] - x1[j, k])) over i < 4, j < 5, k < 3"} : tensor<4x5xf32>
  return %distances
}
