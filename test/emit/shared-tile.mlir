// The loops of a register tile are a call of a function that kernels of all sizes share: counts, strides and steps are
// its arguments, and sums go to where the loops store them, or, in front of an epilogue or for the last columns, to an
// array. A sum in blocks is a function of two loops, of which the inner one starts at zero. Sums of few terms stay where
// they are.
// RUN: mlgc emit %s --random-weights=1 -o - | FileCheck %s
// CHECK:      // The sums of the products of 10 rows with 16 columns, in registers.
// CHECK-NEXT: MLGC_APART void mlgc_tile_10x16(const float* panel, const float* rows, int64_t row_stride, float* out, int64_t out_stride, int64_t count, int64_t panel_step, int64_t row_step) {
// CHECK-NEXT:   f32x16 sum_0 = mlgc_splat<f32x16>(0.0f);
// CHECK:        const int64_t two_rows = 2 * row_stride;
// CHECK:        const float* row_0 = rows;
// CHECK-NEXT:   const float* row_3 = rows + 3 * row_stride;
// CHECK:        for (int64_t i = 0; i < count; ++i) {
// CHECK-NEXT:     const f32x16 factor = mlgc_load<f32x16>(at);
// CHECK-NEXT:     sum_0 = mlgc_accumulate(row_0[0], factor, sum_0);
// CHECK:          sum_2 = mlgc_accumulate(row_0[two_rows], factor, sum_2);
// CHECK:          sum_9 = mlgc_accumulate(row_9[0], factor, sum_9);
// CHECK-NEXT:     at += panel_step;
// CHECK-NEXT:     row_0 += row_step;
// CHECK:          row_9 += row_step;
// CHECK-NEXT:   }
// CHECK-NEXT:   mlgc_store(out, sum_0);
// CHECK-NEXT:   mlgc_store(out + out_stride, sum_1);
// CHECK:        mlgc_store(out + 9 * out_stride, sum_9);
// CHECK-NEXT: }
// CHECK-LABEL: static int32_t whole_0_linear_loop1_range(
// CHECK:        mlgc_tile_11x16(x_2 + (n_o * 64) * 16 + n - 16 * n_o, x + (11 * b0_o) * 64, 64, y + (11 * b0_o) * 40 + n, 40, 64, 16, 1);
// CHECK:        alignas(64) float tile[176];
// CHECK-NEXT:   mlgc_tile_11x16(x_2 + (n_o * 64) * 16 + n - 16 * n_o, x + (11 * b0_o) * 64, 64, tile, 16, 64, 16, 1);
// CHECK-NEXT:   const f32x16 [[FIRST:v[0-9]+]] = mlgc_load<f32x16>(tile);
// CHECK:        mlgc_store_part(y + (11 * b0_o) * 40 + n, [[FIRST]], n_count);
// CHECK-LABEL: static int32_t few_0_linear_loop1_range(
// CHECK-NOT: mlgc_tile
// CHECK:      MLGC_APART void mlgc_tile_10x16_block(const float* panel, const float* rows, int64_t row_stride, float* out, int64_t out_stride, int64_t count, int64_t panel_step, int64_t row_step, int64_t count_1, int64_t panel_step_1, int64_t row_step_1) {
// CHECK:        for (int64_t i = 0; i < count; ++i) {
// CHECK-NEXT:     const float* const panel_1 = panel + i * panel_step;
// CHECK-NEXT:     const float* const rows_1 = rows + i * row_step;
// CHECK-NEXT:     f32x16 block_1_0 = mlgc_splat<f32x16>(0.0f);
// CHECK:          for (int64_t i_1 = 0; i_1 < count_1; ++i_1) {
// CHECK:          sum_0 = (sum_0 + block_1_0);
// CHECK-LABEL: static int32_t blocks_0_linear_gelu_loop1_range(
// CHECK:        mlgc_tile_11x16_block(x_2 + (b2_o * 300) * 16 + b2 - 16 * b2_o, x + (11 * b1_o) * 300, 300, sums + (11 * b1_o) * 16 + b2 - 16 * b2_o, 16, 2, 2400, 150, 150, 16, 1);
// CHECK-NEXT: }
// CHECK-LABEL: static int32_t dynamic_0_matmul
// CHECK:        mlgc_tile_6x64_ahead(x_2 + {{.*}}, x + {{.*}}, K, tile, 64, 16384, (mlgc_min(256 * k_o + 256, K)) - 256 * k_o, 64, 1);
weight @a : tensor<40x64xf32>
weight @b : tensor<72x300xf32>
weight @c : tensor<40x24xf32>
func @whole(%x: tensor<32x64xf32>) -> tensor<32x40xf32> {
  %w = read @a : tensor<40x64xf32>
  %y = linear %x, %w
  return %y
}
func @few(%x: tensor<32x24xf32>) -> tensor<32x40xf32> {
  %w = read @c : tensor<40x24xf32>
  %y = linear %x, %w
  return %y
}
func @blocks(%x: tensor<32x300xf32>) -> tensor<32x72xf32> {
  %w = read @b : tensor<72x300xf32>
  %y = linear %x, %w
  %z = gelu %y
  return %z
}
func @dynamic(%x: tensor<[B]x[K]xf32>, %y: tensor<[K]x64xf32>) -> tensor<[B]x64xf32> {
  %z = matmul %x, %y
  return %z
}
