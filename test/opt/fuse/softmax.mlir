// Softmax by parts is the kernel that softmax as one op is: both read and write each element once.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@parts: 1 kernel, 4096*B bytes; each op alone: 5 kernels, 16400*B bytes, 4 times as many
// CHECK-NEXT:  kernel 0: reduction, 5 ops (amax, sub, exp, sum, div), rows B
// CHECK-NEXT:    input   %x  tensor<[B]x512xf32>  2048*B bytes
// CHECK-NEXT:    output  %y  tensor<[B]x512xf32>  2048*B bytes
// CHECK-NEXT:    2560*B operations on 4096*B bytes: 0.625 a byte
// CHECK-NEXT:  uses: 5 of 5 fused
// CHECK-NEXT:    fused  %m of amax  by %d = sub  8*B bytes saved     element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %d of sub   by %e = exp  4096*B bytes saved  element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %e of exp   by %z = sum  4096*B bytes saved  reduced: the reader reduces rows that were just computed
// CHECK-NEXT:    fused  %e of exp   by %y = div  2048*B bytes saved  element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %z of sum   by %y = div  8*B bytes saved     element: the reader needs the element that was just computed
//      CHECK:@one: 1 kernel, 4096*B bytes; each op alone: 1 kernel, 4096*B bytes
// CHECK-NEXT:  kernel 1: reduction, 1 op (softmax), rows B
// CHECK-NEXT:    input   %x  tensor<[B]x512xf32>  2048*B bytes
// CHECK-NEXT:    output  %y  tensor<[B]x512xf32>  2048*B bytes
// CHECK-NEXT:    2560*B operations on 4096*B bytes: 0.625 a byte
func @parts(%x: tensor<[B]x512xf32>) -> tensor<[B]x512xf32> {
  %m = amax %x {dim = [-1], keepdim = true}
  %d = sub %x, %m
  %e = exp %d
  %z = sum %e {dim = [-1], keepdim = true}
  %y = div %e, %z
  return %y
}
func @one(%x: tensor<[B]x512xf32>) -> tensor<[B]x512xf32> {
  %y = softmax %x {dim = -1}
  return %y
}
