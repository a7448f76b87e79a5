// Backward of attention is one kernel where what passes between its products is large: rows of rows, none of which is
// in memory then. Shorter it stays as many kernels as there are products, and so does a product behind another one whose
// rows share a weight.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: mlgc explain fusion %s --tile-bytes=0 | FileCheck %s --check-prefix=NEVER
// RUN: mlgc opt %s --pass-pipeline='fuse{tile-bytes=2097153}' | FileCheck %s --check-prefix=SHORT
// RUN: mlgc opt %s --to=gpu-loops | FileCheck %s --check-prefix=GPU
// NEVER: @backward: 6 kernels,
// SHORT-COUNT-8: fusion
// GPU-COUNT-4: func @backward.
//      CHECK:3 kernels of 9 ops, 0 views, 0 ops in no kernel; 7 of 8 uses fused
// CHECK-EMPTY:
// CHECK-NEXT:@backward: 1 kernel, 917504 bytes; each op alone: 8 kernels, 26476544 bytes, 28.9 times as many
// CHECK-NEXT:  kernel 0: contraction, 7 ops (einsum, einsum, softmax, mul, matmul, einsum, transpose, matmul), rows 8
// CHECK-NEXT:    input   %q   tensor<8x256x16xf32>  131072 bytes
// CHECK-NEXT:    input   %k   tensor<8x256x16xf32>  131072 bytes
// CHECK-NEXT:    input   %g   tensor<8x256x16xf32>  131072 bytes
// CHECK-NEXT:    input   %v   tensor<8x256x16xf32>  131072 bytes
// CHECK-NEXT:    output  %dq  tensor<8x256x16xf32>  131072 bytes
// CHECK-NEXT:    output  %dk  tensor<8x256x16xf32>  131072 bytes
// CHECK-NEXT:    output  %dv  tensor<8x256x16xf32>  131072 bytes
// CHECK-NEXT:    87031808 operations on 917504 bytes: 94.9 a byte
// CHECK-NEXT:  uses: 7 of 7 fused
// CHECK-NEXT:    fused  %s of einsum     by %p = softmax    4194304 bytes saved  tile: the reader reads rows of a tile that was just computed, which is smaller than all of them
// CHECK-NEXT:    fused  %p of softmax    by %u = mul        2097152 bytes saved  element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %w of einsum     by %u = mul        4194304 bytes saved  tile: the reader reads rows of a tile that was just computed, which is smaller than all of them
// CHECK-NEXT:    fused  %u of mul        by %dq = matmul    4194304 bytes saved  tile: the reader reads rows of a tile that was just computed, which is smaller than all of them
// CHECK-NEXT:    fused  %u of mul        by %dk = einsum    2097152 bytes saved  tile: the reader reads rows of a tile that was just computed, which is smaller than all of them
// CHECK-NEXT:    fused  %p of softmax    by %t = transpose                       movement: one of the two only moves elements: index arithmetic in the other
// CHECK-NEXT:    fused  %t of transpose  by %dv = matmul    4194304 bytes saved  movement: one of the two only moves elements: index arithmetic in the other
// CHECK-NEXT:  patterns:
// CHECK-NEXT:    einsum + einsum + softmax + mul + matmul + einsum + matmul  vertical  1 kernel  21364736 bytes saved
// CHECK-EMPTY:
// CHECK-NEXT:@shared: 2 kernels, 4390912 bytes; each op alone: 2 kernels, 4390912 bytes
// CHECK-NEXT:  kernel 1: contraction, 1 op (linear), rows 512 x 1024
// CHECK-NEXT:    input   %x  tensor<512x16xf32>    32768 bytes
// CHECK-NEXT:    input   %a  tensor<1024x16xf32>   65536 bytes
// CHECK-NEXT:    output  %h  tensor<512x1024xf32>  2097152 bytes
// CHECK-NEXT:    16777216 operations on 2195456 bytes: 7.64 a byte
// CHECK-NEXT:  kernel 2: contraction, 1 op (linear), rows 512 x 16
// CHECK-NEXT:    input   %h  tensor<512x1024xf32>  2097152 bytes
// CHECK-NEXT:    input   %b  tensor<16x1024xf32>   65536 bytes
// CHECK-NEXT:    output  %y  tensor<512x16xf32>    32768 bytes
// CHECK-NEXT:    16777216 operations on 2195456 bytes: 7.64 a byte
// CHECK-NEXT:  uses: 0 of 1 fused
// CHECK-NEXT:    apart  %h of linear  by %y = linear  4194304 bytes lost  contraction: a contraction reads each element of its operands many times, and its result is complete only after its last step; needs a schedule that packs the operand, or computes blocks of whole rows
func @backward(%q: tensor<8x256x16xf32>, %k: tensor<8x256x16xf32>, %v: tensor<8x256x16xf32>, %g: tensor<8x256x16xf32>) -> (tensor<8x256x16xf32>, tensor<8x256x16xf32>, tensor<8x256x16xf32>) {
  %s = einsum %q, %k {equation = "aid,ajd->aij"}
  %p = softmax %s {dim = 2}
  %w = einsum %g, %v {equation = "aid,ajd->aij"}
  %u = mul %p, %w
  %dq = matmul %u, %k
  %dk = einsum %u, %q {equation = "aij,aid->ajd"}
  %t = transpose %p {dim0 = 1, dim1 = 2}
  %dv = matmul %t, %g
  return %dq, %dk, %dv
}
func @shared(%x: tensor<512x16xf32>, %a: tensor<1024x16xf32>, %b: tensor<16x1024xf32>) -> tensor<512x16xf32> {
  %h = linear %x, %a
  %y = linear %h, %b
  return %y
}
