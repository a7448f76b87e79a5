// A view of an argument is its memory. Between ops of a kernel views and transpositions are subscripts.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: mlgc opt %s --fuse | FileCheck %s --check-prefix=IR
//      CHECK:@f: 1 kernel, 1024*B bytes; each op alone: 3 kernels, 3072*B bytes, 3 times as many
// CHECK-NEXT:  kernel 0: pointwise, 2 ops (exp, view, permute, relu), rows B x 16 x 8
// CHECK-NEXT:    input   %v  tensor<[B]x128xf32>   512*B bytes
// CHECK-NEXT:    output  %r  tensor<[B]x16x8xf32>  512*B bytes
// CHECK-NEXT:    384*B operations on 1024*B bytes: 0.375 a byte
// CHECK-NEXT:  uses: 4 of 4 fused
// CHECK-NEXT:    fused  %v of view     by %e = exp                          view: every element stays where it is: no kernel and no copy
// CHECK-NEXT:    fused  %e of exp      by %u = view                         movement: one of the two only moves elements: index arithmetic in the other
// CHECK-NEXT:    fused  %u of view     by %q = permute  1024*B bytes saved  movement: one of the two only moves elements: index arithmetic in the other
// CHECK-NEXT:    fused  %q of permute  by %r = relu     1024*B bytes saved  movement: one of the two only moves elements: index arithmetic in the other
// IR-LABEL: func @f
// IR-NEXT: %v = view %x {shape = [B, 128]} : tensor<[B]x128xf32>
// IR-NEXT: %r = fusion (%0 = %v) attributes {kind = "pointwise"} {
// IR-NEXT:   %e = exp %0 : tensor<[B]x128xf32>
// IR-NEXT:   %u = view %e {shape = [B, 8, 16]} : tensor<[B]x8x16xf32>
// IR-NEXT:   %q = permute %u {dims = [0, 2, 1]} : tensor<[B]x16x8xf32>
// IR-NEXT:   %1 = relu %q : tensor<[B]x16x8xf32>
// IR-NEXT:   yield %1
// IR-NEXT: } : tensor<[B]x16x8xf32>
// IR-NEXT: return %r
func @f(%x: tensor<[B]x8x16xf32>) -> tensor<[B]x16x8xf32> {
  %v = view %x {shape = [B, 128]}
  %e = exp %v
  %u = view %e {shape = [B, 8, 16]}
  %q = permute %u {dims = [0, 2, 1]}
  %r = relu %q
  return %r
}
