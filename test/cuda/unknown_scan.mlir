// A running reduction of a row of unknown length: pieces, and results of pieces by pieces once more, whatever the length is.
// emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @unknown_scan {
  func @row(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {
    %0 = cumsum %x {dim = 0} : tensor<[N]xf32>
    return %0
  }
}
// CHECK: row_0_cumsum_kernel5(
// CHECK-NOT: row_0_cumsum_kernel6(
