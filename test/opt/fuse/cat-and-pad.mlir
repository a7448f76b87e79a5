// Concatenation and padding are choices between elements, and a slice is a subscript: nothing is copied.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@cat: 1 kernel, 128*B bytes; each op alone: 3 kernels, 320*B bytes, 2.5 times as many
// CHECK-NEXT:  kernel 0: pointwise, 3 ops (exp, cat, relu), rows B
// CHECK-NEXT:    input   %x  tensor<[B]x8xf32>   32*B bytes
// CHECK-NEXT:    input   %y  tensor<[B]x8xf32>   32*B bytes
// CHECK-NEXT:    output  %r  tensor<[B]x16xf32>  64*B bytes
// CHECK-NEXT:    40*B operations on 128*B bytes: 0.312 a byte
// CHECK-NEXT:  uses: 2 of 2 fused
// CHECK-NEXT:    fused  %a of exp  by %c = cat   64*B bytes saved   element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %c of cat  by %r = relu  128*B bytes saved  element: the reader needs the element that was just computed
//      CHECK:@pad: 1 kernel, 36*B bytes; each op alone: 4 kernels, 252*B bytes, 7 times as many
// CHECK-NEXT:  kernel 1: reduction, 3 ops (exp, pad, slice, sum), rows B
// CHECK-NEXT:    input   %x  tensor<[B]x8xf32>  32*B bytes
// CHECK-NEXT:    output  %r  tensor<[B]xf32>    4*B bytes
// CHECK-NEXT:    19*B operations on 36*B bytes: 0.528 a byte
// CHECK-NEXT:  uses: 3 of 3 fused
// CHECK-NEXT:    fused  %a of exp    by %c = pad    64*B bytes saved  element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %c of pad    by %d = slice  80*B bytes saved  movement: one of the two only moves elements: index arithmetic in the other
// CHECK-NEXT:    fused  %d of slice  by %r = sum    72*B bytes saved  movement: one of the two only moves elements: index arithmetic in the other
func @cat(%x: tensor<[B]x8xf32>, %y: tensor<[B]x8xf32>) -> tensor<[B]x16xf32> {
  %a = exp %x
  %c = cat %a, %y {dim = 1}
  %r = relu %c
  return %r
}
func @pad(%x: tensor<[B]x8xf32>) -> tensor<[B]xf32> {
  %a = exp %x
  %c = pad %a {pad = [1, 1]}
  %d = slice %c {dim = 1, start = 0, end = 9}
  %r = sum %d {dim = [1]}
  return %r
}
