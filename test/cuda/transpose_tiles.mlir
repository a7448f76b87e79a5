// Tiles that a block reads along one axis and writes along the other, through memory on the chip; emulated_test.py runs
// what is emitted, and takes its barriers out.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @tiles {
  func @turned(%x: tensor<[N]x70xf32>, %w: tensor<70xf32>) -> tensor<70x[N]xf32> {
    %0 = mul %x, %w : tensor<[N]x70xf32>
    %1 = transpose %0 {dim0 = 0, dim1 = 1} : tensor<70x[N]xf32>
    return %1
  }
}
// CHECK: float* const x_tile = reinterpret_cast<float*>(scratch
// CHECK: __syncthreads();
