// Pieces of neighbours that are in one run: in one row, in one input of a join. Their places are computed once, and loads
// of a branch are pieces where all neighbours take it; other pieces go element by element. emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @runs {
  func @joined_outside(%x: tensor<5x9x52xbf16>, %z: tensor<3x9x52xbf16>) -> tensor<8x9x52xbf16> {
    %0 = cat %x, %z {dim = 0}
    return %0
  }
  func @joined_rows(%x: tensor<2x1021xf16>, %z: tensor<3x1021xf16>) -> tensor<5x1021xf16> {
    %0 = cat %x, %z {dim = 0}
    return %0
  }
  func @joined_inside(%x: tensor<3x1300xf32>, %z: tensor<3x37xf32>) -> tensor<3x1337xf32> {
    %0 = cat %x, %z {dim = 1}
    return %0
  }
  func @stacked_outside(%x: tensor<3x96xf32>, %z: tensor<3x96xf32>, %w: tensor<3x96xf32>) -> tensor<3x3x96xf32> {
    %0 = stack %x, %z, %w {dim = 1}
    return %0
  }
  func @shifted(%x: tensor<3x600xbf16>) -> tensor<3x600xbf16> {
    %0 = roll %x {shifts = [3], dims = [1]}
    return %0
  }
  func @padded_rows(%x: tensor<4x5x24xf32>) -> tensor<4x7x28xf32> {
    %0 = pad %x {pad = [2, 2, 1, 1], value = 1.5}
    return %0
  }
  func @every_other_row(%x: tensor<9x160xf32>) -> tensor<5x160xf32> {
    %0 = slice %x {dim = 0, start = 0, end = 9, step = 2}
    return %0
  }
  func @every_other_row_of_many(%x: tensor<19x2160xf32>) -> tensor<9x2160xf32> {
    %0 = slice %x {dim = 0, start = 1, end = 19, step = 2}
    return %0
  }
  func @biased(%x: tensor<5x40xbf16>, %row: tensor<40xbf16>) -> tensor<5x40xbf16> {
    %0 = add %x, %row
    return %0
  }
  func @turned_join(%x: tensor<70x5x66xf32>, %z: tensor<70x3x66xf32>) -> tensor<66x8x70xf32> {
    %0 = cat %x, %z {dim = 1}
    %1 = transpose %0 {dim0 = 0, dim1 = 2}
    return %1
  }
  func @turned_halves(%x: tensor<72x130xbf16>) -> tensor<130x72xbf16> {
    %0 = transpose %x {dim0 = 0, dim1 = 1}
    return %0
  }
  func @turned_short(%x: tensor<39x100xf32>) -> tensor<100x39xf32> {
    %0 = transpose %x {dim0 = 0, dim1 = 1}
    return %0
  }
}
// CHECK: joined_outside_0_cat_kernel1(
// CHECK: if (o_d1_d2_first + 8 <= static_cast<int32_t>(o_d1_d2_end) && ((-(static_cast<int32_t>(o_d1_d2_first / 468u)) + 4 >= 0) == (-(static_cast<int32_t>(((o_d1_d2_first + 7)) / 468u)) + 4 >= 0))) {
// CHECK: if (v0) x_flat_piece = mlgc_read_piece<8, kAligned>(x + ((static_cast<int32_t>(o_d1_d2_first / 468u))) * 468 + (static_cast<int32_t>(o_d1_d2_first % 468u)));
// CHECK: if (!v0) x_2_flat_piece = mlgc_read_parts<8>(x_2 + ((static_cast<int32_t>(o_d1_d2_first / 468u)) - 5) * 468 + (static_cast<int32_t>(o_d1_d2_first % 468u)));
// CHECK: joined_inside_0_cat_kernel1(
// CHECK: MLGC_UNUSED const int32_t d0_o_first_quotient = static_cast<int32_t>(d0_o_first / 1337u);
// CHECK: if (d0_o_first + 4 <= static_cast<int32_t>(d0_o_end) && d0_o_first_rest <= 1333 && ((-d0_o_first_rest + 1299 >= 0) == (-(d0_o_first_rest + 3) + 1299 >= 0))) {
// CHECK: if (v0) x_piece = mlgc_read_parts<4>(x + d0_o_first_quotient * 1300 + d0_o_first_rest);
// CHECK: if (!v0) x_2_piece = mlgc_read_piece<4, kAligned>(x_2 + d0_o_first_quotient * 37 + d0_o_first_rest - 1300);
// CHECK: stacked_outside_0_stack_kernel1(
// CHECK: const bool v0 = -(static_cast<int32_t>(d0_o_d1_first_quotient % 3u)) >= 0;
// CHECK: if (!v0 && !v1) x_3_piece = mlgc_read_piece<4, kAligned>(x_3 + d0_o_d1_first_quotient_2 * 96 + d0_o_d1_first_rest);
// CHECK: if (!v0 && v1) x_2_piece = mlgc_read_piece<4, kAligned>(x_2 + d0_o_d1_first_quotient_2 * 96 + d0_o_d1_first_rest);
// CHECK: if (v0) x_piece = mlgc_read_piece<4, kAligned>(x + d0_o_d1_first_quotient_2 * 96 + d0_o_d1_first_rest);
// CHECK: shifted_0_roll_kernel1(
// CHECK: if (i0_i1_first + 8 <= static_cast<int32_t>(i0_i1_end) && i0_i1_first_rest_2 <= 592) {
// CHECK-NEXT: const mlgc_piece<uint16_t, 8> x_piece = mlgc_read_parts<8>(x + i0_i1_first_quotient * 600 + i0_i1_first_rest_2);
// CHECK: every_other_row_0_slice_kernel1(
// CHECK: MLGC_UNUSED const int32_t o_d1_first_quotient = static_cast<int32_t>(o_d1_first / 160u);
// CHECK: if (o_d1_first + 4 <= static_cast<int32_t>(o_d1_end)) {
// CHECK-NEXT: const mlgc_piece<float, 4> x_piece = mlgc_read_piece<4, kAligned>(x + (2 * o_d1_first_quotient) * 160 + o_d1_first_rest);
// CHECK: every_other_row_of_many_0_slice_kernel1(
// CHECK: for (int64_t at = int64_t{blockIdx.x}; at < int64_t{19}; at += int64_t{gridDim.x}) {
// CHECK: biased_0_add_kernel1(
// CHECK: MLGC_UNUSED const int32_t b0_b1_first_quotient = static_cast<int32_t>(b0_b1_first / 40u);
// CHECK: if (b0_b1_first + 8 <= static_cast<int32_t>(b0_b1_end)) {
// CHECK-NEXT: const mlgc_piece<uint16_t, 8> x_flat_piece = mlgc_read_piece<8, kAligned>(x + b0_b1_first);
// CHECK-NEXT: const mlgc_piece<uint16_t, 8> x_2_piece = mlgc_read_piece<8, kAligned>(x_2 + b0_b1_first_rest);
// CHECK: turned_join_0_cat_transpose_kernel1(
// CHECK: for (int64_t d4_in = 64 * d4_o + threadIdx.x / 16; d4_in < d4_in_end; d4_in += 16) {
// CHECK: if (d1_in_first < d1_in_end) {
// CHECK-NEXT: if (d1_in_first + 4 <= d1_in_end) {
// CHECK: if (v0) x_piece = mlgc_read_parts<4>(x + (d4_in * 5 + d3) * 66 + d1_in_first);
// CHECK: turned_halves_0_transpose_kernel1(
// CHECK: for (int64_t d0_in = 64 * d0_o + threadIdx.x / 32; d0_in < d0_in_end; d0_in += 8) {
// CHECK: if (d1_in_first < d1_in_end) {
// CHECK: turned_short_0_transpose_kernel1(
// CHECK: for (int64_t d1 = 64 * d1_o + threadIdx.x / 64; d1 < d1_end; d1 += 4) {
// CHECK: if (d0 < d0_end) {
