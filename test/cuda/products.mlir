// Products in tiles: rows that fill no tile, columns that lanes do not divide, columns that are copied into their order
// first, 16-bit elements, guards of a convolution. emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @products {
  func @linear(%x: tensor<1030x30xf64>, %w: tensor<256x30xf64>, %b: tensor<256xf64>) -> tensor<1030x256xf64> {
    %0 = linear %x, %w, %b : tensor<1030x256xf64>
    %1 = relu %0 : tensor<1030x256xf64>
    return %1
  }
  func @batches(%x: tensor<3x1024x[N]xbf16>, %w: tensor<3x[N]x[N]xbf16>) -> tensor<3x1024x[N]xbf16> {
    %0 = matmul %x, %w : tensor<3x1024x[N]xbf16>
    return %0
  }
  func @many(%x: tensor<[N]x20xf64>, %w: tensor<20x256xf64>) -> tensor<[N]x256xf64> {
    %0 = matmul %x, %w : tensor<[N]x256xf64>
    return %0
  }
  func @images(%x: tensor<1x4x40x60xf64>, %w: tensor<64x4x3x3xf64>) -> tensor<1x64x40x60xf64> {
    %0 = conv2d %x, %w {padding = [1, 1]} : tensor<1x64x40x60xf64>
    return %0
  }
}
// CHECK: __global__ static void __launch_bounds__(64) linear
// CHECK: __global__ static void __launch_bounds__(64) linear
