// Results of one op that nobody reads are not written.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@f: 1 kernel, 36*B bytes; each op alone: 2 kernels, 44*B bytes, 1.22 times as many
// CHECK-NEXT:  kernel 0: reduction, 2 ops (max_dim, relu), rows B
// CHECK-NEXT:    input   %x  tensor<[B]x8xf32>  32*B bytes
// CHECK-NEXT:    output  %r  tensor<[B]xf32>    4*B bytes
// CHECK-NEXT:    10*B operations on 36*B bytes: 0.278 a byte
// CHECK-NEXT:  uses: 1 of 1 fused
// CHECK-NEXT:    fused  %v of max_dim  by %r = relu  8*B bytes saved  element: the reader needs the element that was just computed
func @f(%x: tensor<[B]x8xf32>) -> tensor<[B]xf32> {
  %v, %i = max_dim %x {dim = 1}
  %r = relu %v
  return %r
}
