// While a register tile is computed, the panel that is read next is asked for. Not where all columns are less than the
// second cache holds.
// RUN: mlgc emit %s --random-weights=1 -o - | FileCheck %s
// RUN: mlgc eval %s --function=large --random-inputs=2 --random-weights=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=halves --random-inputs=2 --random-weights=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// SAME: y by cpp: agrees
//
// CHECK:      MLGC_APART void mlgc_tile_11x16(const float* panel, const float* rows, int64_t row_stride, float* out, int64_t out_stride, int64_t count, int64_t panel_step, int64_t row_step) {
// CHECK-NOT:    __builtin_prefetch
// CHECK:      MLGC_APART void mlgc_tile_11x16_ahead(const float* panel, const float* rows, int64_t row_stride, float* out, int64_t out_stride, int64_t ahead, int64_t count, int64_t panel_step, int64_t row_step) {
// CHECK:        for (int64_t i = 0; i < count; ++i) {
// CHECK-NEXT:     __builtin_prefetch(at + ahead, 0, 2);
// CHECK-NEXT:     const f32x16 factor = mlgc_load<f32x16>(at);
// CHECK:      MLGC_APART void mlgc_tile_6x64_bf16_ahead(const uint16_t* panel, const float* rows, int64_t row_stride, float* out, int64_t out_stride, int64_t ahead, int64_t count, int64_t panel_step, int64_t row_step) {
// CHECK:          __builtin_prefetch(at + ahead, 0, 2);
// CHECK-NEXT:     __builtin_prefetch(at + ahead + 32, 0, 2);
// CHECK-LABEL: static int32_t large_0_linear_loop1_range(
// CHECK:        mlgc_tile_11x16_ahead(x_2 + (n_o * 128) * 16 + n - 16 * n_o, x + (11 * b0_o) * 128, 128, y + (11 * b0_o) * 1024 + n, 1024, 2048, 128, 16, 1);
// CHECK-LABEL: static int32_t halves_0_matmul_loop2_range(
// CHECK:        mlgc_tile_6x64_bf16_ahead(x_2 + n, widened + (6 * m_o) * 128, 128, tile, 64, 64, 128, 2048, 1);
// CHECK-LABEL: static int32_t small_0_linear_loop1_range(
// CHECK:        mlgc_tile_11x16(x_2 + (n_o * 128) * 16 + n - 16 * n_o, x + (11 * b0_o) * 128, 128, y + (11 * b0_o) * 64 + n, 64, 128, 16, 1);
weight @a : tensor<1024x128xf32>
weight @b : tensor<64x128xf32>
func @large(%x: tensor<33x128xf32>) -> tensor<33x1024xf32> {
  %w = read @a : tensor<1024x128xf32>
  %y = linear %x, %w
  return %y
}
func @halves(%x: tensor<33x128xbf16>, %w: tensor<128x2048xbf16>) -> tensor<33x2048xbf16> {
  %y = matmul %x, %w
  return %y
}
func @small(%x: tensor<33x128xf32>) -> tensor<33x64xf32> {
  %w = read @b : tensor<64x128xf32>
  %y = linear %x, %w
  return %y
}
