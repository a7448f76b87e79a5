// Running reductions of columns, each by a thread, without barriers; emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @scans_of_columns {
  func @columns(%x: tensor<2x300x5xbf16>) -> tensor<2x300x5xbf16> {
    %0 = cumprod %x {dim = 1} : tensor<2x300x5xbf16>
    return %0
  }
  func @unknown_columns(%x: tensor<[N]x4xf32>) -> tensor<[N]x4xf32> {
    %0 = cumsum %x {dim = 0} : tensor<[N]x4xf32>
    return %0
  }
  func @extremum_of_columns(%x: tensor<9x70x66xf32>) -> (tensor<9x70x66xf32>, tensor<9x70x66xi64>) {
    %0, %1 = cummin %x {dim = 0} : tensor<9x70x66xf32>, tensor<9x70x66xi64>
    return %0, %1
  }
}
// CHECK: columns_0_cumprod_kernel3(
// Results of pieces are scanned by pieces, once more.
// CHECK: unknown_columns_0_cumsum_kernel5(
// CHECK-NOT: unknown_columns_0_cumsum_kernel6(
// CHECK: extremum_of_columns_0_cummin_kernel1(
