// Integers and scales are derived weights. Weights that something else reads, that a function updates, or whose rows hold no whole
// groups stay; so do those of integers.
// RUN: mlgc opt %s --pass-pipeline='quantize-weights' | FileCheck %s
// RUN: mlgc opt %s --pass-pipeline='quantize-weights{bits=4 group=32}' | FileCheck %s --check-prefix=FOUR
// RUN: mlgc opt %s --pass-pipeline='quantize-weights{group=48}' | FileCheck %s --check-prefix=NONE
// RUN: not mlgc opt %s --pass-pipeline='quantize-weights{bits=4}' 2>&1 | FileCheck %s --check-prefix=ODD
// CHECK: weight @half.scales : tensor<3x1xf32> = {
// CHECK: weight @half.quantized : tensor<3x64xi8> = {
// CHECK-NOT: weight @tied.quantized
// CHECK-NOT: weight @updated.quantized
// CHECK: dequantize %{{.*}} : tensor<3x64xf32>
// CHECK-NEXT: cast %{{.*}} {dtype = f16}
// FOUR: weight @half.scales : tensor<3x2xf32> = {
// FOUR: where %{{.*}} : tensor<3x2xf32>
// FOUR-NEXT: div %{{.*}} {other = -8.0}
// FOUR: quantize %{{.*}} {bits = 4, group = 32, zero = 8} : tensor<3x32xui8>
// NONE-NOT: quantize
// ODD: mlgc: error: option `group` of pass `quantize-weights`: must be even with 4 bits, and not 0
weight @half : tensor<3x64xf16>
weight @tied : tensor<3x64xf32>
weight @updated : tensor<3x64xf32>
func @f(%x: tensor<[B]x64xf16>, %z: tensor<[B]x64xf32>) -> (tensor<[B]x3xf16>, tensor<[B]x3xf32>, tensor<64x3xf32>) updates (@updated = %u) {
  %h = read @half
  %y = linear %x, %h
  %t = read @tied
  %p = linear %z, %t
  %q = transpose %t {dim0 = 0, dim1 = 1}
  %v = read @updated
  %l = linear %z, %v
  %s = add %p, %l
  %u = mul %v, %v
  return %y, %s, %q, %u
}
