// Rows of a tile whose windows overlap name the padded operand anew in each iteration; what lanes read has its own place
// in each, and rows of a plain product, whose tile is a call, have no element in common. The few taps of a window are
// unrolled, and sums stay in their registers; a factor that all lanes take is named in its place.
// RUN: mlgc emit %s --random-weights=1 -o - | FileCheck %s
// CHECK: mlgc_anew(T* pointer)
// CHECK-LABEL: static int32_t convolved_0_conv2d_loop2_range(
// CHECK: MLGC_UNROLL(3)
// CHECK-NEXT: for (int64_t p = 0; p < 3; ++p) {
// CHECK: MLGC_UNROLL(3)
// CHECK-NEXT: for (int64_t q = 0; q < 3; ++q) {
// CHECK-NEXT: const auto padded_anew = mlgc_anew<16>(padded);
// CHECK-NEXT: = mlgc_load<f32x16>(x_2 +
// CHECK-NEXT: = mlgc_accumulate(padded_anew[
// CHECK-LABEL: static int32_t product_0_linear_loop1_range(
// CHECK-NOT: {{mlgc_anew|MLGC_UNROLL}}
// CHECK: mlgc_tile_10x16(x_2 +
// CHECK-NOT: {{mlgc_anew|MLGC_UNROLL}}
// CHECK: static int32_t product_0_linear(
weight @v : tensor<16x8x3x3xf32>
weight @w : tensor<64x96xf32>
func @convolved(%x: tensor<1x8x24x24xf32>) -> tensor<1x16x24x24xf32> {
  %v = read @v : tensor<16x8x3x3xf32>
  %y = conv2d %x, %v {padding = [1, 1]}
  return %y
}
func @product(%x: tensor<50x96xf32>) -> tensor<50x64xf32> {
  %w = read @w : tensor<64x96xf32>
  %y = linear %x, %w
  return %y
}
