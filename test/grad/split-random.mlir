// Random numbers are drawn again in backward: their key is saved, and no mask; what is computed from each of them alone
// is computed again. What is drawn with computed probabilities is saved.
// RUN: mlgc grad %s --of=y --mode=split > %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK: func @f_forward(%x: tensor<[B]x4xf32>, %key: tensor<2xi64>)
// CHECK-SAME: result_names = ["y", "saved_key", "saved_bits"]
// CHECK: func @f_backward(%saved_key: tensor<2xi64>, %saved_bits: tensor<[B]x4xf32>, %g_y: tensor<[B]x4xf32>)
// CHECK: [[MASK:%.*]] = bernoulli {{.*}}, %saved_key : tensor<[B]x4xf32>
// CHECK: [[SCALED:%.*]] = div [[MASK]] {other = 0.75}
// CHECK: mul {{.*}}[[SCALED]]
// Both compute what the joint function does, bit for bit.
// RUN: mlgc eval %t.mlir --function=f_forward --input=key=2xi64=7,3 --dim=B=3 --random-inputs=1 --output=@%t.saved.npz
// RUN: mlgc eval %t.mlir --function=f_backward --input=@%t.saved.npz --input=g_y=3x4xf32=1 --output=d_x=@%t.x.npy
// RUN: mlgc grad %s --of=y --seed -o %t.joint.mlir
// RUN: mlgc eval %t.joint.mlir --input=key=2xi64=7,3 --input=g_y=3x4xf32=1 --dim=B=3 --random-inputs=1 --output=d_x=@%t.jx.npy
// RUN: cmp %t.x.npy %t.jx.npy
func @f(%x: tensor<[B]x4xf32>, %key: tensor<2xi64>) -> tensor<[B]x4xf32> where 1 <= B {
  %p = full {dtype = f32, size = [B, 4], value = 0.75}
  %kept = bernoulli %p, %key
  %scaled = div %kept {other = 0.75}
  %dropped = mul %x, %scaled
  %chance = sigmoid %x
  %bits = bernoulli %chance, %key
  %y = mul %dropped, %bits
  return %y
}
