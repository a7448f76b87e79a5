// Attention as a matrix loop: the score is a function of query, key and product, in which the causal mask is left out, since the
// prelude's function knows where it begins; then each thread takes neighbouring columns of a query.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
// CHECK: ex2.approx.ftz.f32
// CHECK: cvt.rn.bf16x2.f32
// CHECK: __global__ static void __launch_bounds__(128) causal_0_scaled_dot_product_attention_kernel1(const uint16_t* __restrict__ x, const uint16_t* __restrict__ x_2, const uint16_t* __restrict__ x_3, uint16_t* __restrict__ y, char* memory_of_blocks, int64_t scratch_bytes) {
// CHECK-NEXT: extern __shared__ __align__(16) char mlgc_shared[];
// CHECK-NEXT: char* const scratch = memory_of_blocks == nullptr ? mlgc_shared : memory_of_blocks + blockIdx.x * scratch_bytes;
// CHECK-NEXT: mlgc_begin_kernel();
// CHECK-NEXT: for (int64_t at = int64_t{blockIdx.x}; at < int64_t{18}; at += int64_t{gridDim.x}) {
// CHECK-NEXT: const uint32_t t = static_cast<uint32_t>(at);
// CHECK-NEXT: const int64_t i6_o = t % 3u;
// CHECK-NEXT: const int64_t b12_b13 = t / 3u;
// CHECK-NEXT: const int64_t i6_first = 64 * i6_o;
// CHECK-NEXT: const int64_t i6_end = mlgc_min(64 * i6_o + 64, int64_t{140});
// CHECK-NEXT: const auto score = [&](int64_t i6, int64_t j_t, float product) -> float {
// CHECK-NEXT: const float v0 = -mlgc_infinity_f32();
// CHECK-NEXT: const float v1 = 0.0f;
// CHECK-NEXT: const float v2 = 0.0f;
// CHECK-NEXT: const float v3 = 0.125f;
// CHECK-NEXT: const float v4 = product * v3;
// CHECK-NEXT: return v4;
// CHECK-NEXT: };
// CHECK-NEXT: const float* const sums = mlgc_attention_tile<mlgc_matrix_bf16, 1, 64, 64>::sums(scratch, x + (b12_b13 * 140 + i6_first) * 64, 64, i6_end - i6_first, i6_first, x_2 + (b12_b13 * 140) * 64, 64, x_3 + (b12_b13 * 140) * 64, 64, 140, -((-(mlgc_max((mlgc_min(64 * i6_o + 64, int64_t{140})), int64_t{0}))) >> 6), 0, 64, 64, score);
// CHECK-NEXT: for (int piece = threadIdx.x; piece < 512; piece += 128) {
// CHECK-NEXT: const int row = piece / 8, column = piece % 8 * 8;
// CHECK-NEXT: const int64_t i6_2 = i6_first + row, f_own = column;
// CHECK-NEXT: const float* const own_sums = sums + row * 72 + column;
// CHECK-NEXT: if (i6_2 < i6_end && f_own < 64) {
// CHECK-NEXT: const float v5 = sums[4608 + row];
// CHECK-NEXT: const float v6 = -mlgc_infinity_f32();
// CHECK-NEXT: const float v7 = 0.0f;
// CHECK-NEXT: const float v8 = 1.0f;
// CHECK-NEXT: const bool v9 = v5 == v7;
// CHECK-NEXT: const float v10 = v9 ? v8 : v5;
// CHECK-NEXT: mlgc_piece<uint16_t, 8> y_flat_piece;
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int neighbour = 0; neighbour < 8; ++neighbour) {
// CHECK-NEXT: MLGC_UNUSED const int64_t f = f_own + neighbour;
// CHECK-NEXT: const float v11 = own_sums[neighbour];
// CHECK-NEXT: const float v12 = mlgc_divide_by_invariant(v11, v10);
// CHECK-NEXT: const uint16_t v13 = mlgc_to_bfloat(v12);
// CHECK-NEXT: y_flat_piece.values[neighbour] = v13;
// CHECK-NEXT: }
// CHECK-NEXT: mlgc_write_piece(y, (b12_b13 * 140 + i6_2) * 64 + f_own, y_flat_piece);
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: }
func @causal(%q: tensor<2x3x140x64xbf16>, %k: tensor<2x3x140x64xbf16>, %v: tensor<2x3x140x64xbf16>) -> tensor<2x3x140x64xbf16> {
  %0 = scaled_dot_product_attention %q, %k, %v {is_causal = true} : tensor<2x3x140x64xbf16>
  return %0
}
