// Dims of size 1, which may broadcast, give no sums over one element: what a batch of one sends back are the rows that a
// larger batch sends back.
// RUN: mlgc grad %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// CHECK: func @f_grad
// CHECK: %d_z = einsum {{.*}} {equation = "abc,dc->abd"} : tensor<1x8x5xf32>
// CHECK: einsum {{.*}}, %a {equation = "abc,abd->dc"} : tensor<5x4xf32>
// CHECK: %d_x = matmul %d_z, %w : tensor<1x8x4xf32>
// CHECK: einsum %d_z, %x {equation = "abc,abd->cd"} : tensor<5x4xf32>
// CHECK-NOT: sum[
// CHECK: return
// RUN: mlgc eval %t.mlir --random-inputs=1 --compare=cpp,torch | FileCheck %s --check-prefix=AGREES
// AGREES-COUNT-4: by cpp: agrees
// AGREES-COUNT-4: by torch: agrees
// RUN: mlgc grad %s --check | FileCheck %s --check-prefix=CHECKED
// CHECKED: all agree
func @f(%x: tensor<1x8x4xf32>, %w: tensor<5x4xf32>, %z: tensor<1x8x5xf32>) -> tensor<f32> {
  %y = linear %x, %w
  %a = add %y, %z
  %m = matmul %a, %w
  %t = tanh %m
  %loss = sum %t {dim = [0, 1, 2]}
  return %loss
}
