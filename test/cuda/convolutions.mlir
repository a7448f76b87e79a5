// Convolutions of 16-bit floats by tiles of the matrix unit: factors that are gathered by pixels and places of a window, in
// pieces of eight channels where channels are contiguous and their number is a multiple of eight, and one by one; padding,
// strides, dilations, groups, one to three axes, transposed ones, tiles that are not full, parts of the terms, and what
// follows from the sums. Weights and what lies between kernels have their channels last. emulated_test.py runs what is
// emitted.
// RUN: mlgc emit %s --random-weights=1 --target=cuda | FileCheck %s
module @convolutions {
  weight @wide : tensor<40x16x3x3xbf16>
  weight @more : tensor<24x40x3x3xbf16>
  weight @deep : tensor<24x1x3x3xbf16>
  weight @ones : tensor<48x24x1x1xbf16>
  func @last(%x: tensor<2x9x11x16xbf16>, %w: tensor<40x3x3x16xbf16>, %b: tensor<40xbf16>, %r: tensor<2x9x11x40xbf16>) -> tensor<2x9x11x40xbf16> {
    %0 = permute %x {dims = [0, 3, 1, 2]} : tensor<2x16x9x11xbf16>
    %1 = permute %w {dims = [0, 3, 1, 2]} : tensor<40x16x3x3xbf16>
    %2 = conv2d %0, %1, %b {padding = [1, 1]} : tensor<2x40x9x11xbf16>
    %3 = permute %2 {dims = [0, 2, 3, 1]} : tensor<2x9x11x40xbf16>
    %4 = add %3, %r : tensor<2x9x11x40xbf16>
    %5 = relu %4 : tensor<2x9x11x40xbf16>
    return %5
  }
  func @chain(%x: tensor<2x16x9x7xbf16>) -> tensor<2x48x5x4xbf16> {
    %a = read {symbol = @wide} : tensor<40x16x3x3xbf16>
    %b = read {symbol = @more} : tensor<24x40x3x3xbf16>
    %c = read {symbol = @deep} : tensor<24x1x3x3xbf16>
    %d = read {symbol = @ones} : tensor<48x24x1x1xbf16>
    %0 = conv2d %x, %a {padding = [1, 1]} : tensor<2x40x9x7xbf16>
    %1 = relu %0 : tensor<2x40x9x7xbf16>
    %2 = conv2d %1, %b {padding = [2, 2], dilation = [2, 2]} : tensor<2x24x9x7xbf16>
    %3 = relu %2 : tensor<2x24x9x7xbf16>
    %4 = conv2d %3, %c {padding = [1, 1], groups = 24} : tensor<2x24x9x7xbf16>
    %5 = add %4, %3 : tensor<2x24x9x7xbf16>
    %6 = conv2d %5, %d {stride = [2, 2]} : tensor<2x48x5x4xbf16>
    return %6
  }
  func @strided(%x: tensor<2x11x9x24xbf16>, %w: tensor<33x3x3x24xbf16>) -> tensor<2x6x5x33xbf16> {
    %0 = permute %x {dims = [0, 3, 1, 2]} : tensor<2x24x11x9xbf16>
    %1 = permute %w {dims = [0, 3, 1, 2]} : tensor<33x24x3x3xbf16>
    %2 = conv2d %0, %1 {padding = [1, 1], stride = [2, 2]} : tensor<2x33x6x5xbf16>
    %3 = permute %2 {dims = [0, 2, 3, 1]} : tensor<2x6x5x33xbf16>
    return %3
  }
  func @stem(%x: tensor<2x3x19x21xf16>, %w: tensor<40x3x7x7xf16>) -> tensor<2x40x10x11xf16> {
    %0 = conv2d %x, %w {padding = [3, 3], stride = [2, 2]} : tensor<2x40x10x11xf16>
    return %0
  }
  func @points(%x: tensor<3x24x6x4xbf16>, %w: tensor<32x24x1x1xbf16>) -> tensor<3x32x6x4xbf16> {
    %0 = conv2d %x, %w : tensor<3x32x6x4xbf16>
    return %0
  }
  func @groups(%x: tensor<2x64x11x9xbf16>, %w: tensor<64x16x3x3xbf16>) -> tensor<2x64x6x5xbf16> {
    %0 = conv2d %x, %w {padding = [1, 1], groups = 4, stride = [2, 2]} : tensor<2x64x6x5xbf16>
    return %0
  }
  func @parts(%x: tensor<1x96x5x5xbf16>, %w: tensor<32x96x3x3xbf16>, %b: tensor<32xbf16>) -> tensor<1x32x5x5xbf16> {
    %0 = conv2d %x, %w, %b {padding = [1, 1]} : tensor<1x32x5x5xbf16>
    %1 = relu %0 : tensor<1x32x5x5xbf16>
    return %1
  }
  func @line(%x: tensor<2x24x37xbf16>, %w: tensor<32x24x5xbf16>) -> tensor<2x32x37xbf16> {
    %0 = conv1d %x, %w {padding = [4], dilation = [2]} : tensor<2x32x37xbf16>
    return %0
  }
  func @volume(%x: tensor<1x8x4x5x6xbf16>, %w: tensor<16x8x3x3x3xbf16>) -> tensor<1x16x4x5x6xbf16> {
    %0 = conv3d %x, %w {padding = [1, 1, 1]} : tensor<1x16x4x5x6xbf16>
    return %0
  }
  func @transposed(%x: tensor<2x24x5x6xbf16>, %w: tensor<24x16x3x3xbf16>) -> tensor<2x16x11x13xbf16> {
    %0 = conv_transpose2d %x, %w {stride = [2, 2]} : tensor<2x16x11x13xbf16>
    return %0
  }
  func @batch(%x: tensor<[N]x16x5x6xbf16>, %w: tensor<24x16x3x3xbf16>) -> tensor<[N]x24x5x6xbf16> {
    %0 = conv2d %x, %w {padding = [1, 1]} : tensor<[N]x24x5x6xbf16>
    return %0
  }
}
// CHECK-DAG: mlgc_gather<mlgc_matrix_tile<mlgc_matrix_bf16, 64, 32, 4, true, true, 128, 32, 8>, 64, true, true, 2, int32_t>
// CHECK-DAG: mlgc_map_windows<2, 32>(&left_map, x_2, 64, 2, 24,
// CHECK-DAG: mlgc_map_windows<2, 16>(&left_map, x_2, 64, 2, 16,
// CHECK-DAG: mlgc_gather<mlgc_matrix_tile<mlgc_matrix_f16, 32, 32, 4, true, true, 128, 32, 8>, 32, true, false, 2, int32_t>
