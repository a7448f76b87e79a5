// A chain is one kernel; what two of its ops read is read once.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: mlgc opt %s --fuse | FileCheck %s --check-prefix=IR
//      CHECK:@f: 1 kernel, 12*N bytes; each op alone: 4 kernels, 40*N bytes, 3.33 times as many
// CHECK-NEXT:  kernel 0: pointwise, 4 ops (mul, exp, add, tanh), rows N
// CHECK-NEXT:    input   %x  tensor<[N]xf32>  4*N bytes
// CHECK-NEXT:    input   %y  tensor<[N]xf32>  4*N bytes
// CHECK-NEXT:    output  %d  tensor<[N]xf32>  4*N bytes
// CHECK-NEXT:    4*N operations on 12*N bytes: 0.333 a byte
// CHECK-NEXT:  uses: 3 of 3 fused
// CHECK-NEXT:    fused  %a of mul  by %b = exp   8*N bytes saved  element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %b of exp  by %c = add   8*N bytes saved  element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %c of add  by %d = tanh  8*N bytes saved  element: the reader needs the element that was just computed
// IR-LABEL: func @f
// IR-NEXT: %d = fusion (%0 = %x, %1 = %y) attributes {kind = "pointwise"} {
// IR-NEXT:   %a = mul %0, %1 : tensor<[N]xf32>
// IR-NEXT:   %b = exp %a : tensor<[N]xf32>
// IR-NEXT:   %c = add %b, %1 : tensor<[N]xf32>
// IR-NEXT:   %2 = tanh %c : tensor<[N]xf32>
// IR-NEXT:   yield %2
// IR-NEXT: } : tensor<[N]xf32>
// IR-NEXT: return %d
func @f(%x: tensor<[N]xf32>, %y: tensor<[N]xf32>) -> tensor<[N]xf32> {
  %a = mul %x, %y
  %b = exp %a
  %c = add %b, %y
  %d = tanh %c
  return %d
}
