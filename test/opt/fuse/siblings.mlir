// Two ops that read the same are one kernel, which reads it once; also a reduction and one that keeps the shape.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@pointwise: 1 kernel, 768*B bytes; each op alone: 2 kernels, 1024*B bytes, 1.33 times as many
// CHECK-NEXT:  kernel 0: pointwise, 2 ops (exp, sin), rows B x 64
// CHECK-NEXT:    input   %x  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    output  %a  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    output  %b  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    128*B operations on 768*B bytes: 0.167 a byte
//      CHECK:@reduction: 1 kernel, 516*B bytes; each op alone: 2 kernels, 772*B bytes, 1.5 times as many
// CHECK-NEXT:  kernel 1: reduction, 2 ops (sum, relu), rows B
// CHECK-NEXT:    input   %x  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    output  %a  tensor<[B]xf32>     4*B bytes
// CHECK-NEXT:    output  %b  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    192*B operations on 516*B bytes: 0.372 a byte
func @pointwise(%x: tensor<[B]x64xf32>) -> (tensor<[B]x64xf32>, tensor<[B]x64xf32>) {
  %a = exp %x
  %b = sin %x
  return %a, %b
}
func @reduction(%x: tensor<[B]x64xf32>) -> (tensor<[B]xf32>, tensor<[B]x64xf32>) {
  %a = sum %x {dim = [-1]}
  %b = relu %x
  return %a, %b
}
