// A reduction takes in what makes its elements, and what is done with its results.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@f: 1 kernel, 264*B bytes; each op alone: 4 kernels, 792*B bytes, 3 times as many
// CHECK-NEXT:  kernel 0: reduction, 4 ops (exp, sum, log, sub), rows B
// CHECK-NEXT:    input   %x  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    input   %y  tensor<[B]xf32>     4*B bytes
// CHECK-NEXT:    output  %d  tensor<[B]xf32>     4*B bytes
// CHECK-NEXT:    130*B operations on 264*B bytes: 0.492 a byte
// CHECK-NEXT:  uses: 3 of 3 fused
// CHECK-NEXT:    fused  %a of exp  by %z = sum  512*B bytes saved  reduced: the reader reduces rows that were just computed
// CHECK-NEXT:    fused  %z of sum  by %l = log  8*B bytes saved    element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %l of log  by %d = sub  8*B bytes saved    element: the reader needs the element that was just computed
func @f(%x: tensor<[B]x64xf32>, %y: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %a = exp %x
  %z = sum %a {dim = [-1]}
  %l = log %z
  %d = sub %l, %y
  return %d
}
