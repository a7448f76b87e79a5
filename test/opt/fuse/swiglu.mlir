// A gated network: silu and the product are the epilogue of one of the two contractions, which reads the other.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@f: 3 kernels, 4864*B + 196608 bytes; each op alone: 5 kernels, 8960*B + 196608 bytes, 1.52 times as many at B = 64
// CHECK-NEXT:  kernel 0: contraction, 3 ops (linear, silu, mul), rows B x 256
// CHECK-NEXT:    input   %x   tensor<[B]x64xf32>   256*B bytes
// CHECK-NEXT:    input   %u   tensor<[B]x256xf32>  1024*B bytes
// CHECK-NEXT:    weight  @w1  tensor<256x64xf32>   65536 bytes
// CHECK-NEXT:    output  %m   tensor<[B]x256xf32>  1024*B bytes
// CHECK-NEXT:    33536*B operations on 2304*B + 65536 bytes: 10.1 a byte at B = 64
// CHECK-NEXT:  kernel 1: contraction, 1 op (linear), rows B x 256
// CHECK-NEXT:    input   %x   tensor<[B]x64xf32>   256*B bytes
// CHECK-NEXT:    weight  @w2  tensor<256x64xf32>   65536 bytes
// CHECK-NEXT:    output  %u   tensor<[B]x256xf32>  1024*B bytes
// CHECK-NEXT:    32768*B operations on 1280*B + 65536 bytes: 14.2 a byte at B = 64
// CHECK-NEXT:  kernel 2: contraction, 1 op (linear), rows B x 64
// CHECK-NEXT:    input   %m   tensor<[B]x256xf32>  1024*B bytes
// CHECK-NEXT:    weight  @w3  tensor<64x256xf32>   65536 bytes
// CHECK-NEXT:    output  %o   tensor<[B]x64xf32>   256*B bytes
// CHECK-NEXT:    32768*B operations on 1280*B + 65536 bytes: 14.2 a byte at B = 64
// CHECK-NEXT:  uses: 2 of 4 fused
// CHECK-NEXT:    fused  %g of linear  by %a = silu    2048*B bytes saved  epilogue: it is applied to the element that the contraction has just summed up
// CHECK-NEXT:    fused  %a of silu    by %m = mul     2048*B bytes saved  epilogue: it is applied to the element that the contraction has just summed up
// CHECK-NEXT:    apart  %u of linear  by %m = mul     2048*B bytes lost   contraction: a contraction reads each element of its operands many times, and its result is complete only after its last step; needs a schedule that packs the operand, or computes blocks of whole rows
// CHECK-NEXT:    apart  %m of mul     by %o = linear  2048*B bytes lost   contraction: a contraction reads each element of its operands many times, and its result is complete only after its last step; needs a schedule that packs the operand, or computes blocks of whole rows
weight @w1 : tensor<256x64xf32>
weight @w2 : tensor<256x64xf32>
weight @w3 : tensor<64x256xf32>
func @f(%x: tensor<[B]x64xf32>) -> tensor<[B]x64xf32> {
  %w1 = read @w1
  %w2 = read @w2
  %w3 = read @w3
  %g = linear %x, %w1
  %u = linear %x, %w2
  %a = silu %g
  %m = mul %a, %u
  %o = linear %m, %w3
  return %o
}
