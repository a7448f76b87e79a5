// New states and updated weights are outputs of the function like its results; a state is read as one.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@f: 1 kernel, 192 bytes; each op alone: 4 kernels, 352 bytes, 1.83 times as many
// CHECK-NEXT:  kernel 0: pointwise, 4 ops (add, mul, sub, exp), rows 8
// CHECK-NEXT:    input   %x  tensor<8xf32>  32 bytes
// CHECK-NEXT:    weight  @w  tensor<8xf32>  32 bytes
// CHECK-NEXT:    state   @s  tensor<8xf32>  32 bytes
// CHECK-NEXT:    output  %n  tensor<8xf32>  32 bytes
// CHECK-NEXT:    output  %v  tensor<8xf32>  32 bytes
// CHECK-NEXT:    output  %y  tensor<8xf32>  32 bytes
// CHECK-NEXT:    32 operations on 192 bytes: 0.167 a byte
// CHECK-NEXT:  uses: 3 of 3 fused
// CHECK-NEXT:    fused  %n of add  by %g = mul  32 bytes saved  element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %g of mul  by %v = sub  64 bytes saved  element: the reader needs the element that was just computed
// CHECK-NEXT:    fused  %n of add  by %y = exp  32 bytes saved  element: the reader needs the element that was just computed
state @s : tensor<8xf32>
weight @w : tensor<8xf32>
func @f(%x: tensor<8xf32>) -> tensor<8xf32> updates (@s = %n, @w = %v) {
  %q = read @s
  %w = read @w
  %n = add %q, %x
  %g = mul %n, %x
  %v = sub %w, %g
  %y = exp %n
  return %y, %n, %v
}
