// The activation is applied where the sums of the contraction are complete.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: mlgc opt %s --fuse | FileCheck %s --check-prefix=IR
//      CHECK:@f: 1 kernel, 384*B + 8192 bytes; each op alone: 2 kernels, 640*B + 8192 bytes, 1.5 times as many at B = 64
// CHECK-NEXT:  kernel 0: contraction, 2 ops (linear, relu), rows B x 32
// CHECK-NEXT:    input   %x  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    weight  @w  tensor<32x64xf32>   8192 bytes
// CHECK-NEXT:    output  %r  tensor<[B]x32xf32>  128*B bytes
// CHECK-NEXT:    4160*B operations on 384*B + 8192 bytes: 8.12 a byte at B = 64
// CHECK-NEXT:  uses: 1 of 1 fused
// CHECK-NEXT:    fused  %h of linear  by %r = relu  256*B bytes saved  epilogue: it is applied to the element that the contraction has just summed up
// IR-LABEL: func @f
// IR-NEXT: %w = read @w : tensor<32x64xf32>
// IR-NEXT: %r = fusion (%0 = %x, %1 = %w) attributes {kind = "contraction"} {
// IR-NEXT:   %h = linear %0, %1 : tensor<[B]x32xf32>
// IR-NEXT:   %2 = relu %h : tensor<[B]x32xf32>
// IR-NEXT:   yield %2
// IR-NEXT: } : tensor<[B]x32xf32>
// IR-NEXT: return %r
weight @w : tensor<32x64xf32>
func @f(%x: tensor<[B]x64xf32>) -> tensor<[B]x32xf32> {
  %w = read @w
  %h = linear %x, %w
  %r = relu %h
  return %r
}
