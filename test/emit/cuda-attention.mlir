// Attention as a matrix loop: the score is a function of query, key and product, in which the causal mask is left out, since the
// prelude's function knows where it begins; then each thread takes neighbouring columns of a query. A second kernel has the device
// copy tiles; there the scale is a number, and blocks start with the last queries.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
// CHECK: ex2.approx.ftz.f32
// CHECK: cvt.rn.bf16x2.f32
// CHECK: __global__ static void __launch_bounds__(128) causal_0_scaled_dot_product_attention_kernel1(const uint16_t* __restrict__ x, const uint16_t* __restrict__ x_2, const uint16_t* __restrict__ x_3, uint16_t* __restrict__ y, char* memory_of_blocks, int64_t scratch_bytes) {
// CHECK-NEXT: extern __shared__ __align__(16) char mlgc_shared[];
// CHECK-NEXT: char* const scratch = memory_of_blocks == nullptr ? mlgc_shared : memory_of_blocks + blockIdx.x * scratch_bytes;
// CHECK-NEXT: mlgc_begin_kernel();
// CHECK-NEXT: for (int64_t at = int64_t{blockIdx.x}; at < int64_t{18}; at += int64_t{gridDim.x}) {
// CHECK: const int64_t i6_end = mlgc_min(64 * i6_o + 64, int64_t{140});
// CHECK-NEXT: const auto score = [&](int64_t i6, int64_t j_t, float product) -> float {
// CHECK-NEXT: const float v0 = 0.125f;
// CHECK-NEXT: const float v1 = product * v0;
// CHECK-NEXT: return v1;
// CHECK: const float* const sums = mlgc_attention_tile<mlgc_matrix_bf16, 1, 64, 64>::sums(scratch, x + (b12_b13 * 140 + i6_first) * 64, 64, i6_end - i6_first, i6_first, x_2 + (b12_b13 * 140) * 64, 64, x_3 + (b12_b13 * 140) * 64, 64, 140, -((-(mlgc_max((mlgc_min(64 * i6_o + 64, int64_t{140})), int64_t{0}))) >> 6), 0, 64, 64, score);
// CHECK-NEXT: for (int piece = threadIdx.x; piece < 512; piece += 128) {
// CHECK: const float v2 = sums[4608 + row];
// CHECK: mlgc_piece<float, 8> y_flat_piece;
// CHECK: for (int neighbour = 0; neighbour < 8; ++neighbour) {
// CHECK: const float v8 = mlgc_divide_for_halves(v7, v6);
// CHECK: mlgc_write_piece(y, (b12_b13 * 140 + i6_2) * 64 + f_own, mlgc_bfloats_of(y_flat_piece));
// CHECK: __global__ static void MLGC_TENSOR_BOUNDS(256, 1) causal_0_scaled_dot_product_attention_kernel2(
// CHECK: if (mlgc_tensor_attention<mlgc_matrix_bf16, 1, 64, 64>::brings()) {
// CHECK-NEXT: mlgc_tensor_attention<mlgc_matrix_bf16, 1, 64, 64>::begin_bringing();
// CHECK: const int64_t from_last = int64_t{18} - 1 - at_2;
// CHECK: mlgc_tensor_attention<mlgc_matrix_bf16, 1, 64, 64>::bring(ring, query_map, {64 * i6_o_2, b12_b13_2}, key_map, {0, b12_b13_2}, value_map, {0, b12_b13_2}, 
// CHECK: mlgc_tensor_attention<mlgc_matrix_bf16, 1, 64, 64>::begin_using();
// CHECK: const mlgc_scaled_products score_2 = {0.125f};
// CHECK: for (int part = 0; part < mlgc_tensor_attention<mlgc_matrix_bf16, 1, 64, 64>::kParts; ++part) {
// CHECK: const float v10 = mlgc_tensor_attention<mlgc_matrix_bf16, 1, 64, 64>::total(part_sums, row_2);
// CHECK: if (mlgc_runs_tensor_tile(causal_0_scaled_dot_product_attention_kernel2, 256,
func @causal(%q: tensor<2x3x140x64xbf16>, %k: tensor<2x3x140x64xbf16>, %v: tensor<2x3x140x64xbf16>) -> tensor<2x3x140x64xbf16> {
  %0 = scaled_dot_product_attention %q, %k, %v {is_causal = true} : tensor<2x3x140x64xbf16>
  return %0
}
