// Running reductions that the threads of a block share, by pieces; emulated_test.py runs what is emitted, and takes barriers out.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @scans {
  func @row(%x: tensor<[N]x50xf32>) -> tensor<[N]x50xf32> {
    %0 = cumsum %x {dim = 1} : tensor<[N]x50xf32>
    return %0
  }
  func @long_row(%x: tensor<3x5000xf16>) -> tensor<3x5000xf16> {
    %0 = cumsum %x {dim = 1} : tensor<3x5000xf16>
    return %0
  }
  func @all(%x: tensor<20000xi64>) -> tensor<20000xi64> {
    %0 = cumsum %x {dim = 0} : tensor<20000xi64>
    return %0
  }
  func @columns(%x: tensor<2x300x5xbf16>) -> tensor<2x300x5xbf16> {
    %0 = cumprod %x {dim = 1} : tensor<2x300x5xbf16>
    return %0
  }
  func @unknown_columns(%x: tensor<[N]x4xf32>) -> tensor<[N]x4xf32> {
    %0 = cumsum %x {dim = 0} : tensor<[N]x4xf32>
    return %0
  }
  func @after_softmax(%x: tensor<[N]x700xf32>) -> tensor<[N]x700xf32> {
    %0 = softmax %x {dim = [1]} : tensor<[N]x700xf32>
    %1 = cumsum %0 {dim = 1} : tensor<[N]x700xf32>
    %2 = mul %1, %x : tensor<[N]x700xf32>
    return %2
  }
  func @extremum(%x: tensor<6x130xf32>) -> (tensor<6x130xf32>, tensor<6x130xi64>) {
    %0, %1 = cummax %x {dim = 1} : tensor<6x130xf32>, tensor<6x130xi64>
    return %0, %1
  }
  func @extremum_of_columns(%x: tensor<9x70x66xf32>) -> (tensor<9x70x66xf32>, tensor<9x70x66xi64>) {
    %0, %1 = cummin %x {dim = 0} : tensor<9x70x66xf32>, tensor<9x70x66xi64>
    return %0, %1
  }
}
// Whole blocks take what fills one; a warp takes a short row, and a thread a column.
// CHECK: __launch_bounds__(128) row_0_cumsum_kernel1(
// CHECK: __syncwarp();
// CHECK: __launch_bounds__(256) long_row_0_cumsum_kernel1(
// CHECK: __syncthreads();
// CHECK-NOT: long_row_0_cumsum_kernel2(
// CHECK: all_0_cumsum_kernel1(
// CHECK: all_0_cumsum_kernel2(
// CHECK: __launch_bounds__(256) all_0_cumsum_kernel3(
// CHECK: columns_0_cumprod_kernel3(
// Results of pieces are scanned by pieces, once more.
// CHECK: unknown_columns_0_cumsum_kernel5(
// CHECK-NOT: unknown_columns_0_cumsum_kernel6(
// CHECK: after_softmax_0_softmax_cumsum_mul_kernel1(
// CHECK-NOT: after_softmax_0_softmax_cumsum_mul_kernel2(
// CHECK: extremum_0_cummax_kernel1(
// CHECK: extremum_of_columns_0_cummin_kernel1(
