// Rows of elements that begin anywhere, and are read at places that data say: what is stored is aligned, so the first piece of a row and the last one have elements of their neighbours, which are not touched. emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @unaligned_rows {
  func @chosen(%table: tensor<7x383xbf16>, %at: tensor<[N]xi64>) -> tensor<[N]x383xbf16> {
    %0 = embedding %table, %at : tensor<[N]x383xbf16>
    return %0
  }
  func @chosen_words(%table: tensor<7x131xf32>, %at: tensor<[N]xi64>) -> tensor<[N]x131xf32> {
    %0 = embedding %table, %at : tensor<[N]x131xf32>
    return %0
  }
}
// CHECK: chosen_0_embedding_kernel1(
// CHECK: int64_t(((-b0) & 7)); d_first < 383;
// CHECK: mlgc_write_piece<kAligned>(y,
// CHECK: chosen_words_0_embedding_kernel1(
// CHECK: mlgc_write_piece<kAligned>(y,
