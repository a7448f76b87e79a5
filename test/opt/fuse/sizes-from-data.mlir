// A kernel that speaks of a size stands behind the op that binds it, even where it reads nothing of it: `full` joins
// no kernel that `nonzero` waits for.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@f: 2 kernels, 4*u + 104 bytes; each op alone: 5 kernels, 12*u + 168 bytes, 2.6 times as many at u = 64
// CHECK-NEXT:  kernel 0: reduction, 3 ops (relu, sum, exp)
// CHECK-NEXT:    input   %x  tensor<8xf32>  32 bytes
// CHECK-NEXT:    output  %a  tensor<8xf32>  32 bytes
// CHECK-NEXT:    output  %b  tensor<f32>    4 bytes
// CHECK-NEXT:    output  %q  tensor<8xf32>  32 bytes
// CHECK-NEXT:    32 operations on 100 bytes: 0.32 a byte
// CHECK-NEXT:  kernel 1: pointwise, 1 op (full, add), rows u
// CHECK-NEXT:    input   %b  tensor<f32>      4 bytes
// CHECK-NEXT:    output  %y  tensor<[u]xf32>  4*u bytes
// CHECK-NEXT:    u operations on 4*u + 4 bytes: 0.246 a byte at u = 64
// CHECK-NEXT:  uses: 3 of 5 fused
// CHECK-NEXT:    apart  %a of relu  by %n = nonzero                   no-kernel: one of the two is not a kernel
// CHECK-NEXT:    fused  %a of relu  by %b = sum      32 bytes saved   reduced: the reader reduces rows that were just computed
// CHECK-NEXT:    fused  %z of full  by %y = add      8*u bytes saved  movement: one of the two only moves elements: index arithmetic in the other
// CHECK-NEXT:    apart  %b of sum   by %y = add      8 bytes lost     cycle: between the two another kernel may have to run; needs fusing or moving what stands between them
// CHECK-NEXT:    fused  %a of relu  by %q = exp      32 bytes saved   element: the reader needs the element that was just computed
func @f(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<[u]xf32>) {
  %a = relu %x
  %n = nonzero %a : tensor<[u]x1xi64>
  %z = full {value = 1.5, size = [u], dtype = f32}
  %b = sum %a {dim = [0]}
  %y = add %z, %b
  %q = exp %a
  return %q, %y
}
