// Constants with equal elements and sizes stand in the kernel; others are read.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: mlgc opt %s --fuse | FileCheck %s --check-prefix=IR
//      CHECK:@f: 1 kernel, 16*B + 8 bytes; each op alone: 4 kernels, 48*B + 32 bytes, 3.01 times as many at B = 64
// CHECK-NEXT:  kernel 0: pointwise, 4 ops (mul, add, cast, div)
// CHECK-NEXT:    input     %x  tensor<[B]x2xf32>  8*B bytes
// CHECK-NEXT:    constant  %d  tensor<2xf32>      8 bytes
// CHECK-NEXT:    output    %r  tensor<[B]x2xf32>  8*B bytes
// CHECK-NEXT:    6*B operations on 16*B + 8 bytes: 0.372 a byte at B = 64
// CHECK-NEXT:  uses: 3 of 3 fused
// CHECK-NEXT:    fused  %a of mul   by %b = add  16*B bytes saved  element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %b of add   by %r = div  16*B bytes saved  element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %k of cast  by %r = div  8 bytes saved     element: the reader needs the element that was just computed
// IR-LABEL: func @f
// IR-NEXT: %d = constant {value = dense<[1.0, 3.0]> : tensor<2xf32>} : tensor<2xf32>
// IR-NEXT: %r = fusion (%0 = %x, %1 = %d) attributes {kind = "pointwise"} {
// IR-NEXT:   %c = constant {value = dense<2.0> : tensor<2xf32>} : tensor<2xf32>
// IR-NEXT:   %n = dim [B] : tensor<i64>
// IR-NEXT:   %a = mul %0, %c : tensor<[B]x2xf32>
// IR-NEXT:   %b = add %a, %1 : tensor<[B]x2xf32>
// IR-NEXT:   %k = cast %n {dtype = f32} : tensor<f32>
// IR-NEXT:   %2 = div %b, %k : tensor<[B]x2xf32>
// IR-NEXT:   yield %2
// IR-NEXT: } : tensor<[B]x2xf32>
// IR-NEXT: return %r
func @f(%x: tensor<[B]x2xf32>) -> tensor<[B]x2xf32> {
  %c = constant {value = dense<2.0> : tensor<2xf32>}
  %d = constant {value = dense<[1.0, 3.0]> : tensor<2xf32>}
  %n = dim [B]
  %a = mul %x, %c
  %b = add %a, %d
  %k = cast %n {dtype = f32}
  %r = div %b, %k
  return %r
}
