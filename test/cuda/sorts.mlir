// Rows that many threads sort: networks in the scratch of a block, merges across blocks, a few of many; keys of 32 and 64 bits.
// emulated_test.py runs what is emitted, sorts_test.py at many lengths.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @sorts {
  func @rows(%x: tensor<[B]x[N]xf32>) -> (tensor<[B]x[N]xf32>, tensor<[B]x[N]xi64>) {
    %0, %1 = sort %x {dim = 1} : tensor<[B]x[N]xf32>, tensor<[B]x[N]xi64>
    return %0, %1
  }
  func @best(%x: tensor<[B]x[N]xf16>) -> (tensor<[B]x5xf16>, tensor<[B]x5xi64>) where 5 <= N {
    %0, %1 = topk %x {k = 5, dim = 1} : tensor<[B]x5xf16>, tensor<[B]x5xi64>
    return %0, %1
  }
  func @known(%x: tensor<8193x2xbf16>) -> (tensor<8193x2xbf16>, tensor<8193x2xi64>) {
    %0, %1 = sort %x {dim = 0, descending = true} : tensor<8193x2xbf16>, tensor<8193x2xi64>
    return %0, %1
  }
  func @known_wide(%x: tensor<4097xi64>) -> (tensor<4097xi64>, tensor<4097xi64>) {
    %0, %1 = sort %x {dim = 0} : tensor<4097xi64>, tensor<4097xi64>
    return %0, %1
  }
  func @short_wide(%x: tensor<3x40xf64>) -> (tensor<3x40xf64>, tensor<3x40xi64>) {
    %0, %1 = sort %x {dim = 1} : tensor<3x40xf64>, tensor<3x40xi64>
    return %0, %1
  }
  func @known_best(%x: tensor<2x40000xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
    %0, %1 = topk %x {k = 3, dim = 1} : tensor<2x3xf32>, tensor<2x3xi64>
    return %0, %1
  }
  func @short(%x: tensor<7x50xf32>) -> (tensor<7x50xf32>, tensor<7x50xi64>) {
    %0, %1 = sort %x {dim = 1} : tensor<7x50xf32>, tensor<7x50xi64>
    return %0, %1
  }
  func @short_columns(%x: tensor<3x300x2xf16>) -> (tensor<3x300x2xf16>, tensor<3x300x2xi64>) {
    %0, %1 = sort %x {dim = 1, descending = true} : tensor<3x300x2xf16>, tensor<3x300x2xi64>
    return %0, %1
  }
  func @short_best(%x: tensor<9x100xf32>) -> (tensor<9x7xf32>, tensor<9x7xi64>) {
    %0, %1 = topk %x {k = 7, dim = 1} : tensor<9x7xf32>, tensor<9x7xi64>
    return %0, %1
  }
}
// Of rows of unknown length, short ones are sorted by a warp or a block each; the others by tiles, two merges at a time.
// CHECK: rows_0_sort_kernel1, {{.*}}, 64, 2304, x,
// CHECK: rows_0_sort_kernel2, {{.*}}, 512, 18432, x,
