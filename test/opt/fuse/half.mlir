// What a 16-bit op would store is rounded; the bytes are those of its dtype.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@f: 1 kernel, 256*B bytes; each op alone: 2 kernels, 640*B bytes, 2.5 times as many
// CHECK-NEXT:  kernel 0: pointwise, 2 ops (exp, mul), rows B x 64
// CHECK-NEXT:    input   %x  tensor<[B]x64xbf16>  128*B bytes
// CHECK-NEXT:    output  %b  tensor<[B]x64xbf16>  128*B bytes
// CHECK-NEXT:    128*B operations on 256*B bytes: 0.5 a byte
// CHECK-NEXT:  uses: 1 of 1 fused
// CHECK-NEXT:    fused  %a of exp  by %b = mul  256*B bytes saved  element: the reader needs the element that was just computed
func @f(%x: tensor<[B]x64xbf16>) -> tensor<[B]x64xbf16> {
  %a = exp %x
  %b = mul %a, %x
  return %b
}
