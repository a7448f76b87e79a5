// Where the machine has an instruction that adds two products of bf16 to each sum, a tile takes the terms of its rows in
// pairs, the first one in the high half of 32 bits; one that is left stands beside a zero, and the last columns are a
// part of the lanes. Such rows are not cast beforehand. Vectors of 64 bytes are then for CPUs that have it. Elsewhere
// rows are cast once, and the same sums come from products of f32.
// RUN: mlgc emit %s --machine=x86-64-v4-bf16 -o - | FileCheck %s
// CHECK:      #define MLGC_TARGET __attribute__((target("avx512f,{{.*}},avx512bf16")))
// CHECK:      vdpbf16ps
// CHECK:      // The sums of the products of 6 rows with 64 columns, in registers.
// CHECK-NEXT: MLGC_APART void mlgc_tile_6x64_bf16_pairs(const uint16_t* panel, const uint16_t* rows, int64_t row_stride, float* out, int64_t out_stride, int64_t count, int64_t panel_step, int64_t) {
// CHECK:        alignas(64) uint32_t pairs[768];
// CHECK-NEXT:   const uint16_t* at = panel;
// CHECK-NEXT:   for (int64_t begin = 0; begin < count; begin += 256) {
// CHECK-NEXT:     const int64_t terms = count - begin < 256 ? count - begin : 256;
// CHECK-NEXT:     mlgc_swap_pairs(pairs, rows + begin, terms);
// CHECK-NEXT:     mlgc_swap_pairs(pairs + 128, rows + row_stride + begin, terms);
// CHECK:          for (int64_t pair = 0; pair < terms / 2; ++pair) {
// CHECK-NEXT:       const i32x64 factor = mlgc_join_pairs(mlgc_load<ui16x64>(at), mlgc_load<ui16x64>(at + panel_step));
// CHECK-NEXT:       sum_0 = mlgc_add_pairs(pairs[pair], factor, sum_0);
// CHECK:            at += 2 * panel_step;
// CHECK-NEXT:     }
// CHECK-NEXT:     if (terms % 2 != 0) {
// CHECK-NEXT:       const i32x64 factor = mlgc_high_pairs(mlgc_load<ui16x64>(at));
// CHECK-NEXT:       sum_0 = mlgc_add_pairs(pairs[terms / 2], factor, sum_0);
// CHECK:      MLGC_APART void mlgc_tile_6x64_bf16_pairs_part(const uint16_t* panel, const uint16_t* rows, int64_t row_stride, float* out, int64_t out_stride, int64_t columns, int64_t count, int64_t panel_step, int64_t) {
// CHECK:            const i32x64 factor = mlgc_join_pairs(mlgc_load_part<ui16x64>(at, columns), mlgc_load_part<ui16x64>(at + panel_step, columns));
// CHECK-LABEL: static int32_t product_0_matmul_loop1_range(
// CHECK-NOT:  mlgc_from_bfloat
// CHECK:        mlgc_tile_6x64_bf16_pairs(x_2 + n, x + (6 * m_o) * 63, 63, tile, 64, 63, 120, 1);
// CHECK:        mlgc_tile_6x64_bf16_pairs_part(x_2 + n, x + (6 * m_o) * 63, 63, tile_2, 64, n_count, 63, 120, 1);
// RUN: mlgc opt %s -O2 --to=loops --machine=x86-64-v4 | FileCheck %s --check-prefix=CAST
// CAST: %widened = alloc : buffer<36x63xf32, arena>
// RUN: mlgc opt %s -O2 --to=loops --machine=x86-64-v4-bf16 | FileCheck %s --check-prefix=PAIRS
// PAIRS-NOT: alloc
// PAIRS: load %x[{{.*}}, %k] : bf16
func @product(%x: tensor<36x63xbf16>, %w: tensor<63x120xbf16>) -> tensor<36x120xbf16> {
  %y = matmul %x, %w
  return %y
}
