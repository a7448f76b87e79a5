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
}
// Whole blocks take what fills one; a warp takes a short row.
// CHECK: __launch_bounds__(128) row_0_cumsum_kernel1(
// CHECK: __syncwarp();
// CHECK: __launch_bounds__(256) long_row_0_cumsum_kernel1(
// CHECK: __syncthreads();
// CHECK-NOT: long_row_0_cumsum_kernel2(
// CHECK: all_0_cumsum_kernel1(
// CHECK: all_0_cumsum_kernel2(
// CHECK: __launch_bounds__(256) all_0_cumsum_kernel3(
// CHECK: after_softmax_0_softmax_cumsum_mul_kernel1(
// CHECK-NOT: after_softmax_0_softmax_cumsum_mul_kernel2(
// CHECK: extremum_0_cummax_kernel1(
