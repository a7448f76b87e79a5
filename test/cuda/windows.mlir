// Small windows next to each other: written out, so that a thread takes neighbouring results. emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @windows {
  func @average(%x: tensor<2x3x7x9xf32>) -> tensor<2x3x7x9xf32> {
    %0 = avg_pool2d %x {kernel_size = [3, 3], stride = [1, 1], padding = [1, 1]}
    return %0
  }
  func @average_of_elements(%x: tensor<3x2x5x12xbf16>) -> tensor<3x2x3x6xbf16> {
    %0 = avg_pool2d %x {kernel_size = [2, 3], stride = [2, 2], padding = [1, 1], count_include_pad = false}
    return %0
  }
  func @largest(%x: tensor<2x3x9x11xf32>) -> tensor<2x3x5x6xf32> {
    %0, %1 = max_pool2d %x {kernel_size = [3, 3], stride = [2, 2], padding = [1, 1]}
    return %0
  }
  func @largest_halves(%x: tensor<1x5x6x67xf16>) -> tensor<1x5x5x66xf16> {
    %0, %1 = max_pool2d %x {kernel_size = [2, 2], stride = [1, 1], padding = [0, 0]}
    return %0
  }
  func @one_place(%x: tensor<4x1x1x1xf32>) -> tensor<4x1x1x1xf32> {
    %0 = avg_pool2d %x {kernel_size = [3, 3], stride = [1, 1], padding = [1, 1]}
    return %0
  }
  func @none(%x: tensor<0x2x4x5xf32>) -> tensor<0x2x4x5xf32> {
    %0 = avg_pool2d %x {kernel_size = [3, 3], stride = [1, 1], padding = [1, 1]}
    return %0
  }
  func @any_number(%x: tensor<[B]x2x6x7xf32>) -> tensor<[B]x2x6x7xf32> {
    %0 = avg_pool2d %x {kernel_size = [3, 3], stride = [1, 1], padding = [1, 1]}
    %1 = relu %0
    return %1
  }
}
// CHECK: average_0_avg_pool2d_kernel1
// CHECK: neighbour < 4
// CHECK: largest_halves_0_max_pool2d_kernel1
// CHECK: neighbour < 8
