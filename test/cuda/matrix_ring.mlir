// A tile of the matrix unit whose factors threads copy, with more parts of the terms than are in shared memory at a time, several tiles a block: what is
// planted in it must be noticed (emulated_test.py --planted).
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @matrix_ring {
  func @ring(%x: tensor<[N]x152xbf16>, %w: tensor<152x44xbf16>) -> tensor<[N]x44xbf16> {
    %0 = matmul %x, %w : tensor<[N]x44xbf16>
    return %0
  }
}
// CHECK: mlgc_matrix_tile<mlgc_matrix_bf16, 64, 32, 4, true, false, 128, 32, 8>::multiply(sums_of_thread, scratch, 
