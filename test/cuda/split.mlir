// Products of f32 by tiles of the matrix unit: both orders of each factor in memory, rows that are aligned and rows that are
// not, tiles that are not full, one part of the terms and several, none of them, batches, and numbers whose parts or products
// are out of range, for which the tile is computed again. emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @split {
  func @linear(%x: tensor<[N]x72xf32>, %w: tensor<40x72xf32>, %b: tensor<40xf32>, %r: tensor<[N]x40xf32>) -> tensor<[N]x40xf32> {
    %0 = linear %x, %w, %b : tensor<[N]x40xf32>
    %1 = gelu %0 : tensor<[N]x40xf32>
    %2 = add %1, %r : tensor<[N]x40xf32>
    return %2
  }
  func @any(%x: tensor<[N]x[N]xf32>, %w: tensor<[N]x[N]xf32>) -> tensor<[N]x[N]xf32> {
    %0 = matmul %x, %w : tensor<[N]x[N]xf32>
    return %0
  }
  func @prime(%x: tensor<2x67x131xf32>, %w: tensor<2x131x37xf32>) -> tensor<2x67x37xf32> {
    %0 = matmul %x, %w : tensor<2x67x37xf32>
    return %0
  }
  func @parts(%x: tensor<19x801xf32>, %w: tensor<40x801xf32>, %b: tensor<40xf32>) -> tensor<19x40xf32> {
    %0 = linear %x, %w, %b : tensor<19x40xf32>
    %1 = relu %0 : tensor<19x40xf32>
    return %1
  }
  func @transposed(%x: tensor<96x72xf32>, %w: tensor<96x160xf32>) -> tensor<72x160xf32> {
    %0 = transpose %x {dim0 = 0, dim1 = 1} : tensor<72x96xf32>
    %1 = matmul %0, %w : tensor<72x160xf32>
    return %1
  }
  func @infinite(%x: tensor<40x24xf32>, %w: tensor<24x64xf32>) -> tensor<40x64xf32> {
    %two = constant {value = dense<2.0> : tensor<1xf32>}
    %0 = sub %two, %x : tensor<40x24xf32>
    %1 = relu %0 : tensor<40x24xf32>
    %2 = div %x, %1 : tensor<40x24xf32>
    %3 = matmul %2, %w : tensor<40x64xf32>
    return %3
  }
  func @small(%x: tensor<40x24xf32>, %w: tensor<24x64xf32>) -> tensor<40x64xf32> {
    %tiny = constant {value = dense<1.0e-36> : tensor<1xf32>}
    %0 = mul %x, %tiny : tensor<40x24xf32>
    %1 = matmul %0, %w : tensor<40x64xf32>
    return %1
  }
  func @huge(%x: tensor<40x24xf32>, %w: tensor<24x64xf32>) -> tensor<40x64xf32> {
    %much = constant {value = dense<3.0e+18> : tensor<1xf32>}
    %0 = mul %x, %much : tensor<40x24xf32>
    %1 = mul %w, %much : tensor<24x64xf32>
    %2 = matmul %0, %1 : tensor<40x64xf32>
    return %2
  }
  func @large(%x: tensor<64x32xf32>, %w: tensor<16384x32xf32>) -> tensor<64x16384xf32> {
    %0 = linear %x, %w : tensor<64x16384xf32>
    return %0
  }
}
// CHECK-DAG: mlgc_split_tile<64, 32, 4, true, true, 128, 32, 8>
// CHECK-DAG: mlgc_split_tile<64, 64, 4, true, false, 128, 32, 8>
// CHECK-DAG: mlgc_split_tile<32, 32, 4, true, false, 128, 32, 8>
// CHECK-DAG: mlgc_split_tile<32, 32, 4, false, false, 128, 32, 8>
// CHECK-DAG: mlgc_split_tile<64, 128, 4, true, true, 128, 32, 8>
