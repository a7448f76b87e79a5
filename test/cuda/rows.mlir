// Rows that several warps of a block reduce; columns, sums of everything and scans. emulated_test.py runs what is emitted, and
// takes barriers and shuffles out.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @rows {
  func @normalised(%x: tensor<[N]x700xbf16>, %w: tensor<700xbf16>) -> tensor<[N]x700xbf16> {
    %0 = softmax %x {dim = [1]} : tensor<[N]x700xbf16>
    %1 = mul %0, %w : tensor<[N]x700xbf16>
    return %1
  }
  func @columns(%x: tensor<2050x[N]xf32>) -> tensor<[N]xf32> {
    %0 = sum %x {dim = [0]} : tensor<[N]xf32>
    return %0
  }
  func @everything(%x: tensor<33001xf32>) -> tensor<f32> {
    %0 = sum %x {dim = [0]} : tensor<f32>
    return %0
  }
  func @running(%x: tensor<[N]x45xf32>) -> tensor<[N]x45xf32> {
    %0 = cumsum %x {dim = 1} : tensor<[N]x45xf32>
    return %0
  }
}
// CHECK: mlgc_combine<128>(
