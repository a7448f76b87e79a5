// A norm by parts: what it reduces and what it scales are one kernel over rows.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@f: 1 kernel, 4096*B + 2048 bytes; each op alone: 6 kernels, 14360*B + 2048 bytes, 3.49 times as many at B = 64
// CHECK-NEXT:  kernel 0: reduction, 6 ops (mul, mean, add, rsqrt, mul, mul), rows B
// CHECK-NEXT:    input   %x  tensor<[B]x512xf32>  2048*B bytes
// CHECK-NEXT:    input   %g  tensor<512xf32>      2048 bytes
// CHECK-NEXT:    output  %o  tensor<[B]x512xf32>  2048*B bytes
// CHECK-NEXT:    2051*B operations on 4096*B + 2048 bytes: 0.497 a byte at B = 64
// CHECK-NEXT:  uses: 5 of 5 fused
// CHECK-NEXT:    fused  %q of mul    by %m = mean   4096*B bytes saved  reduced: the reader reduces rows that were just computed
// CHECK-NEXT:    fused  %m of mean   by %e = add    8*B bytes saved     element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %e of add    by %r = rsqrt  8*B bytes saved     element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %r of rsqrt  by %n = mul    8*B bytes saved     element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %n of mul    by %o = mul    4096*B bytes saved  element: the reader needs the element that was just computed
func @f(%x: tensor<[B]x512xf32>, %g: tensor<512xf32>) -> tensor<[B]x512xf32> {
  %q = mul %x, %x
  %m = mean %q {dim = [-1], keepdim = true}
  %e = add %m {other = 1e-6}
  %r = rsqrt %e
  %n = mul %x, %r
  %o = mul %n, %g
  return %o
}
