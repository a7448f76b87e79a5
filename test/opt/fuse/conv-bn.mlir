// -O2 folds the batch norm into the weight of the convolution; what is left of it is the epilogue.
// RUN: mlgc opt %s -O2 --fuse --explain-fusion 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:@f: 1 kernel, 9344*B + 896 bytes; each op alone: 2 kernels, 21888*B + 896 bytes, 2.34 times as many at B = 64
// CHECK-NEXT:  kernel 0: contraction, 2 ops (conv2d, relu), rows B x 8 x 14 x 14
// CHECK-NEXT:    input   %x      tensor<[B]x3x16x16xf32>  3072*B bytes
// CHECK-NEXT:    weight  @w.mul  tensor<8x3x3x3xf32>      864 bytes
// CHECK-NEXT:    weight  @v.sub  tensor<8xf32>            32 bytes
// CHECK-NEXT:    output  %r      tensor<[B]x8x14x14xf32>  6272*B bytes
// CHECK-NEXT:    89376*B operations on 9344*B + 896 bytes: 9.55 a byte at B = 64
// CHECK-NEXT:  uses: 1 of 1 fused
// CHECK-NEXT:    fused  %n of conv2d  by %r = relu  12544*B bytes saved  epilogue: it is applied to the element that the contraction has just summed up
weight @w : tensor<8x3x3x3xf32>
weight @g : tensor<8xf32>
weight @b : tensor<8xf32>
weight @m : tensor<8xf32>
weight @v : tensor<8xf32>
func @f(%x: tensor<[B]x3x16x16xf32>) -> tensor<[B]x8x14x14xf32> {
  %w = read @w
  %g = read @g
  %b = read @b
  %m = read @m
  %v = read @v
  %c = conv2d %x, %w
  %n = batch_norm %c, %g, %b, %m, %v
  %r = relu %n
  return %r
}
