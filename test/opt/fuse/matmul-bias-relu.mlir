// A bias and an activation behind a product: one kernel, and the weights that it reads.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@f: 1 kernel, 384*B + 8320 bytes; each op alone: 3 kernels, 896*B + 8320 bytes, 2 times as many at B = 64
// CHECK-NEXT:  kernel 0: contraction, 3 ops (matmul, add, relu), rows B x 32
// CHECK-NEXT:    input   %x  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    weight  @w  tensor<64x32xf32>   8192 bytes
// CHECK-NEXT:    weight  @b  tensor<32xf32>      128 bytes
// CHECK-NEXT:    output  %r  tensor<[B]x32xf32>  128*B bytes
// CHECK-NEXT:    4192*B operations on 384*B + 8320 bytes: 8.16 a byte at B = 64
// CHECK-NEXT:  uses: 2 of 2 fused
// CHECK-NEXT:    fused  %m of matmul  by %a = add   256*B bytes saved  epilogue: it is applied to the element that the contraction has just summed up
// CHECK-NEXT:    fused  %a of add     by %r = relu  256*B bytes saved  epilogue: it is applied to the element that the contraction has just summed up
weight @w : tensor<64x32xf32>
weight @b : tensor<32xf32>
func @f(%x: tensor<[B]x64xf32>) -> tensor<[B]x32xf32> {
  %w = read @w
  %b = read @b
  %m = matmul %x, %w
  %a = add %m, %b
  %r = relu %a
  return %r
}
