// What 40 rows of a product share and compute, here a scaled and rounded element, is computed once, in front of the
// rows; of 8 rows it stays in the product.
// RUN: mlgc opt %s -O2 --to=loops | FileCheck %s
// CHECK-LABEL: func @many.0.mul_conv2d(
// CHECK:          %packed = alloc : buffer<96x16xbf16, thread>
// CHECK-NEXT:     for [0, 96] (%c_in: index) {
// CHECK-NEXT:       for [16*%h_w_o, min(16*%h_w_o + 16, 70)] (%h_w_in: index) attributes {kind = "vector", lanes = 16, {{.*}}} {
// CHECK:              %3 = mul %1, %2 : f32
// CHECK-NEXT:         %4 = cast %3 {dtype = bf16} : bf16
// CHECK-NEXT:         store %4, %packed[%c_in, %h_w_in - 16*%h_w_o]
// CHECK:          for [0, 4] (%o_o: index) {
// CHECK-NOT:        mul
// CHECK:            load %packed[%c, %h_w - 16*%h_w_o] : bf16
// CHECK-LABEL: func @few.0.mul_conv2d(
// CHECK-NOT:      packed
// CHECK:          mul
// RUN: mlgc explain schedule %s | FileCheck %s --check-prefix=WHY
// WHY: outer-product-tiles at %c: 40 iterations of %o share what 70 iterations of %h_w read: 16 lanes of 4 bytes by 12 rows fill the registers; 1 value packed
func @many(%x: tensor<8x96x7x10xbf16>, %s: tensor<8x96x1x1xbf16>, %w: tensor<40x96x1x1xbf16>) -> tensor<8x40x7x10xbf16> {
  %0 = mul %x, %s
  %1 = conv2d %0, %w
  return %1
}
func @few(%x: tensor<8x96x7x10xbf16>, %s: tensor<8x96x1x1xbf16>, %w: tensor<8x96x1x1xbf16>) -> tensor<8x8x7x10xbf16> {
  %0 = mul %x, %s
  %1 = conv2d %0, %w
  return %1
}
