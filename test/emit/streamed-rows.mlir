// Rows of a weight that are added side by side ask for what they read some rows later, into the second cache. Not where
// the weight is small, nor of the operand that all rows share.
// RUN: mlgc emit %s --random-weights=1 --machine=x86-64-v4 -o - | FileCheck %s
// RUN: mlgc eval %s --function=row --random-inputs=2 --random-weights=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=nibbles --random-inputs=2 --random-weights=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=small --random-inputs=2 --random-weights=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// SAME: agrees
// CHECK-LABEL: static int32_t row_0_linear_loop1_range(
// CHECK-NOT:     __builtin_prefetch(x +
// CHECK:         __builtin_prefetch(x_2 + (8 * n_o) * 384 + k + 6144, 0, 2);
// CHECK-NEXT:    mlgc_load<f32x16>(x_2 + (8 * n_o) * 384 + k);
// CHECK:         __builtin_prefetch(x_2 + (8 * n_o + 7) * 384 + k + 6144, 0, 2);
// CHECK-LABEL: static int32_t nibbles_0_dequantize_linear_loop1_range(
// CHECK:         __builtin_prefetch(x + (4 * n_o) * 256 + 16 * k_o + k + 16384, 0, 2);
// CHECK-COUNT-3: __builtin_prefetch(
// CHECK-NOT:     __builtin_prefetch(
// CHECK-LABEL: static int32_t small_0_linear_loop1_range(
// CHECK-NOT:     __builtin_prefetch(
weight @a : tensor<1003x384xf32>
weight @b : tensor<64x384xf32>
func @row(%x: tensor<1x384xf32>) -> tensor<1x1003xf32> {
  %w = read @a : tensor<1003x384xf32>
  %y = linear %x, %w
  return %y
}
func @nibbles(%x: tensor<1x512xf32>, %w: tensor<1024x256xui8>, %s: tensor<1024x16xf32>) -> tensor<1x1024xf32> {
  %d = dequantize %w, %s {bits = 4, group = 32, zero = 8}
  %y = linear %x, %d
  return %y
}
func @small(%x: tensor<1x384xf32>) -> tensor<1x64xf32> {
  %w = read @b : tensor<64x384xf32>
  %y = linear %x, %w
  return %y
}
