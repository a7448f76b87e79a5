// Random numbers are Philox in integer operations wherever they are drawn, the same as mlgc's.
// eval: --input=key=2xi64=7,3 --dim=B=3 --random-inputs=1
// REQUIRES: libtorch
// RUN: mlgc export %s --to=fx-code | FileCheck %s
// CHECK: def forward(self, x, key):
// CHECK-NEXT:           B = x.shape[0]
// CHECK-NEXT:           t = aten.full.default(size=[1, 1], fill_value=0, dtype=torch.int64)
// CHECK-NEXT:           t_1 = aten.reshape.default(t, shape=[])
// CHECK-NEXT:           t_2 = aten.index.Tensor(key, [t])
// CHECK-NEXT:           t_3 = aten.full.default(size=[1, 1], fill_value=1, dtype=torch.int64)
// CHECK-NEXT:           t_4 = aten.reshape.default(t_3, shape=[])
// CHECK-NEXT:           t_5 = aten.index.Tensor(key, [t_3])
// CHECK-NEXT:           t_6 = aten.arange.default(end=B, dtype=torch.int64)
// CHECK-NEXT:           t_7 = aten.view.default(t_6, size=[B, 1])
// CHECK-NEXT:           t_8 = aten.mul.Scalar(t_7, other=4)
// CHECK-NEXT:           t_9 = aten.arange.default(end=4, dtype=torch.int64)
// CHECK-NEXT:           t_10 = aten.view.default(t_9, size=[1, 4])
// CHECK-NEXT:           t_11 = aten.add.Tensor(t_8, t_10)
// CHECK-NEXT:           t_12 = aten.add.Tensor(t_5, t_11)
// CHECK-NEXT:           t_13 = aten.full.default(size=[1, 1], fill_value=4294967295, dtype=torch.int64)
// CHECK-NEXT:           t_14 = aten.bitwise_and.Tensor(t_12, t_13)
// CHECK-NEXT:           t_15 = aten.full.default(size=[1, 1], fill_value=3528531795, dtype=torch.int64)
// CHECK-NEXT:           t_16 = aten.mul.Tensor(t_14, t_15)
// CHECK-NEXT:           t_17 = aten.bitwise_right_shift.Tensor_Scalar(t_16, other=32)
// CHECK-NEXT:           t_18 = aten.bitwise_and.Scalar(t_17, other=4294967295)
// CHECK-NEXT:           t_19 = aten.full.default(size=[1, 1], fill_value=0, dtype=torch.int64)
func @random(%x: tensor<[B]x5xf32>, %key: tensor<2xi64>) -> (tensor<[B]x4xf32>, tensor<6xf64>, tensor<7xf16>, tensor<[B]x3xf32>, tensor<5xf64>, tensor<9xi64>, tensor<[B]x5xf32>, tensor<[B]x5xf32>, tensor<[B]x5xi1>) {
  %a = uniform %key {size = [B, 4]}
  %b = uniform %key {dtype = f64, size = [6]}
  %c = uniform %key {dtype = f16, size = [7]}
  %d = normal %key {size = [B, 3]}
  %e = normal %key {dtype = f64, size = [5]}
  %f = randint %key {high = 9, low = -4, size = [9]}
  %p = sigmoid %x
  %g = bernoulli %p, %key
  %y, %kept = dropout %x, %key {p = 0.25}
  return %a, %b, %c, %d, %e, %f, %g, %y, %kept
}
