// Two sums of the same elements: one has lanes over its columns, and in these strips each lane has a sum of its own of the
// other one, which could have lanes along its terms where it stood alone.
// RUN: mlgc opt %s -O2 --to=loops | FileCheck %s
// CHECK: func @f.1.einsum_einsum_add_add
// CHECK-NOT: combine
// CHECK: kind = "vector", lanes = 16
// CHECK-NOT: combine
// CHECK: attributes {schedule.strategy = "dot-product-per-lane"} {
// CHECK-NOT: combine
// CHECK: return
// RUN: mlgc eval %s -O2 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// AGREES: d by cpp: agrees
func @f(%z: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %l = constant {value = dense<1.0> : tensor<f32>} : tensor<f32>
  %0 = compute %l {formula = "y[i2, i3] = x0[] / 256.0 over i2 < 16, i3 < 16"} : tensor<16x16xf32>
  %v = matmul %z, %z : tensor<16x16xf32>
  %1 = einsum %0, %v {equation = "ab,cb->ac"} : tensor<16x16xf32>
  %2 = einsum %0, %v {equation = "ab,ac->cb"} : tensor<16x16xf32>
  %3 = add %0, %1 : tensor<16x16xf32>
  %d = add %3, %2 : tensor<16x16xf32>
  return %d
}
