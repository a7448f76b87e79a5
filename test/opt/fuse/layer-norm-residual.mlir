// The sum that a norm reads is written for who else reads it, and not read again.
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
// RUN: mlgc opt %s --fuse | FileCheck %s --check-prefix=IR
//      CHECK:@f: 1 kernel, 1024*B + 512 bytes; each op alone: 2 kernels, 1280*B + 512 bytes, 1.25 times as many at B = 64
// CHECK-NEXT:  kernel 0: reduction, 2 ops (add, layer_norm), rows B
// CHECK-NEXT:    input   %x  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    input   %r  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    input   %g  tensor<64xf32>      256 bytes
// CHECK-NEXT:    input   %b  tensor<64xf32>      256 bytes
// CHECK-NEXT:    output  %a  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    output  %n  tensor<[B]x64xf32>  256*B bytes
// CHECK-NEXT:    580*B operations on 1024*B + 512 bytes: 0.562 a byte at B = 64
// CHECK-NEXT:  uses: 1 of 1 fused
// CHECK-NEXT:    fused  %a of add  by %n, %m, %i = layer_norm  256*B bytes saved  reduced: the reader reduces rows that were just computed
// IR-LABEL: func @f
// IR-NEXT: %a, %n = fusion (%0 = %x, %1 = %r, %2 = %g, %3 = %b) attributes {kind = "reduction"} {
// IR-NEXT:   %4 = add %0, %1 : tensor<[B]x64xf32>
// IR-NEXT:   %5, %m, %i = layer_norm %4, %2, %3 {normalized_shape = [64]} : tensor<[B]x64xf32>, tensor<[B]x1xf32>, tensor<[B]x1xf32>
// IR-NEXT:   yield %4, %5
// IR-NEXT: } : tensor<[B]x64xf32>, tensor<[B]x64xf32>
// IR-NEXT: return %n, %a
func @f(%x: tensor<[B]x64xf32>, %r: tensor<[B]x64xf32>, %g: tensor<64xf32>, %b: tensor<64xf32>) -> (tensor<[B]x64xf32>, tensor<[B]x64xf32>) {
  %a = add %x, %r
  %n, %m, %i = layer_norm %a, %g, %b {normalized_shape = [64]}
  return %n, %a
}
