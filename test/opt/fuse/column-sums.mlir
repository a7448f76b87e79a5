// Rows of a sum over the first dim are columns of what it reads.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@f: 1 kernel, 256*B + 256 bytes; each op alone: 3 kernels, 768*B + 768 bytes, 3 times as many
// CHECK-NEXT:  kernel 0: reduction, 3 ops (mul, sum, sqrt), rows 64
// CHECK-NEXT:    input   %x  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    output  %r  tensor<64xf32>      256 bytes
// CHECK-NEXT:    128*B + 64 operations on 256*B + 256 bytes: 0.496 a byte at B = 64
// CHECK-NEXT:  uses: 2 of 2 fused
// CHECK-NEXT:    fused  %a of mul  by %z = sum   512*B bytes saved  reduced: the reader reduces rows that were just computed
// CHECK-NEXT:    fused  %z of sum  by %r = sqrt  512 bytes saved    element: the reader needs the element that was just computed
//      CHECK:@softmax: 1 kernel, 512*B bytes; each op alone: 2 kernels, 1024*B bytes, 2 times as many
// CHECK-NEXT:  kernel 1: reduction, 2 ops (exp, softmax), rows 64
// CHECK-NEXT:    input   %x  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    output  %y  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    384*B operations on 512*B bytes: 0.75 a byte
// CHECK-NEXT:  uses: 1 of 1 fused
// CHECK-NEXT:    fused  %a of exp  by %y = softmax  512*B bytes saved  reduced: the reader reduces rows that were just computed
func @f(%x: tensor<[B]x64xf32>) -> tensor<64xf32> {
  %a = mul %x, %x
  %z = sum %a {dim = [0]}
  %r = sqrt %z
  return %r
}
func @softmax(%x: tensor<[B]x64xf32>) -> tensor<[B]x64xf32> {
  %a = exp %x
  %y = softmax %a {dim = 0}
  return %y
}
