// Rows that a warp, a part of one or several of a block reduce, with up to 8 neighbours a thread at a time; columns with one loop and with several, sums of everything and scans. emulated_test.py runs what is emitted, and
// takes barriers and shuffles out.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @rows {
  func @normalised(%x: tensor<[N]x700xbf16>, %w: tensor<700xbf16>) -> tensor<[N]x700xbf16> {
    %0 = softmax %x {dim = [1]} : tensor<[N]x700xbf16>
    %1 = mul %0, %w : tensor<[N]x700xbf16>
    return %1
  }
  func @wide(%x: tensor<[N]x1504xbf16>) -> tensor<[N]x1504xbf16> {
    %0 = softmax %x {dim = [1]} : tensor<[N]x1504xbf16>
    return %0
  }
  func @exchanged(%x: tensor<[N]x300xf32>) -> tensor<[N]x300xf32> {
    %0 = softmax %x {dim = [1]} : tensor<[N]x300xf32>
    %1 = flip %0 {dims = [1]} : tensor<[N]x300xf32>
    return %1
  }
  func @short(%x: tensor<[N]x61xf32>) -> tensor<[N]x61xf32> {
    %0 = softmax %x {dim = [1]} : tensor<[N]x61xf32>
    return %0
  }
  func @short_exchanged(%x: tensor<[N]x40xbf16>) -> tensor<[N]x40xbf16> {
    %0 = softmax %x {dim = [1]} : tensor<[N]x40xbf16>
    %1 = flip %0 {dims = [1]} : tensor<[N]x40xbf16>
    return %1
  }
  func @odd(%x: tensor<[N]x1089xbf16>) -> tensor<[N]x1089xbf16> {
    %0 = softmax %x {dim = [1]} : tensor<[N]x1089xbf16>
    return %0
  }
  func @normalised_columns(%x: tensor<90x[N]xf32>) -> tensor<90x[N]xf32> {
    %0 = softmax %x {dim = [0]} : tensor<90x[N]xf32>
    return %0
  }
  func @long_columns(%x: tensor<600x[N]xbf16>) -> tensor<600x[N]xbf16> {
    %0 = softmax %x {dim = [0]} : tensor<600x[N]xbf16>
    return %0
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
// CHECK: normalised_0_softmax_mul_kernel1(
// CHECK: mlgc_read_piece<4, kAligned>(x +
// CHECK: mlgc_combine_in_warp<32>(
// CHECK: wide_0_softmax_kernel1(
// CHECK: mlgc_read_piece<8, kAligned>(x +
// CHECK: mlgc_combine<128>(
// CHECK: exchanged_0_softmax_flip_kernel1(
// CHECK: __syncwarp();
// CHECK: short_0_softmax_kernel1(
// CHECK: mlgc_read_piece<1>(x +
// CHECK: mlgc_combine_in_warp<8, 8>(
// CHECK: short_exchanged_0_softmax_flip_kernel1(
// CHECK: __syncwarp();
// CHECK: odd_0_softmax_kernel1(
// CHECK: mlgc_read_piece<1>(x +
// CHECK: normalised_columns_0_softmax_kernel1(
// CHECK: mlgc_combine_across<8, 32>(
// CHECK-NOT: kernel2(
// CHECK: long_columns_0_softmax_kernel1(
// CHECK: mlgc_combine_across<32, 16>(
