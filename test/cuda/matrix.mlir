// Products of 16-bit floats by tiles of the matrix unit: both orders of each factor in memory, rows that are aligned and rows
// that are not, tiles that are not full, one part of the terms and several, none of them, batches, infinities, and what
// follows from the sums. emulated_test.py runs what is emitted.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @matrix {
  func @linear(%x: tensor<[N]x72xbf16>, %w: tensor<40x72xbf16>, %b: tensor<40xbf16>, %r: tensor<[N]x40xbf16>) -> tensor<[N]x40xbf16> {
    %0 = linear %x, %w, %b : tensor<[N]x40xbf16>
    %1 = gelu %0 : tensor<[N]x40xbf16>
    %2 = add %1, %r : tensor<[N]x40xbf16>
    return %2
  }
  func @any(%x: tensor<[N]x[N]xf16>, %w: tensor<[N]x[N]xf16>) -> tensor<[N]x[N]xf16> {
    %0 = matmul %x, %w : tensor<[N]x[N]xf16>
    return %0
  }
  func @prime(%x: tensor<67x131xbf16>, %w: tensor<131x37xbf16>) -> tensor<67x37xbf16> {
    %0 = matmul %x, %w : tensor<67x37xbf16>
    return %0
  }
  func @long(%x: tensor<2x16x520xf16>, %w: tensor<2x520x48xf16>) -> tensor<2x16x48xf16> {
    %0 = matmul %x, %w : tensor<2x16x48xf16>
    return %0
  }
  func @parts(%x: tensor<19x801xbf16>, %w: tensor<40x801xbf16>, %b: tensor<40xbf16>) -> tensor<19x40xbf16> {
    %0 = linear %x, %w, %b : tensor<19x40xbf16>
    %1 = relu %0 : tensor<19x40xbf16>
    return %1
  }
  func @transposed(%x: tensor<96x72xbf16>, %w: tensor<96x160xbf16>) -> tensor<72x160xbf16> {
    %0 = transpose %x {dim0 = 0, dim1 = 1} : tensor<72x96xbf16>
    %1 = matmul %0, %w : tensor<72x160xbf16>
    return %1
  }
  func @infinite(%x: tensor<40x24xf16>, %w: tensor<24x64xf16>) -> tensor<40x64xf16> {
    %two = constant {value = dense<2.0> : tensor<1xf16>}
    %0 = sub %two, %x : tensor<40x24xf16>
    %1 = relu %0 : tensor<40x24xf16>
    %2 = div %x, %1 : tensor<40x24xf16>
    %3 = matmul %2, %w : tensor<40x64xf16>
    return %3
  }
  func @large(%x: tensor<512x66xbf16>, %w: tensor<8192x66xbf16>) -> tensor<512x8192xbf16> {
    %0 = linear %x, %w : tensor<512x8192xbf16>
    return %0
  }
}
// CHECK-DAG: mlgc_matrix_tile<mlgc_matrix_bf16, 64, 64, 4, true, true, 128, 32, 8>
// CHECK-DAG: mlgc_matrix_tile<mlgc_matrix_f16, 64, 64, 4, true, false, 128, 32, 8>
// CHECK-DAG: mlgc_matrix_tile<mlgc_matrix_bf16, 32, 32, 4, true, false, 128, 32, 8>
// CHECK-DAG: mlgc_few_rows_tile<mlgc_matrix_f16, 16, 64, 4, true, false, 128, 64, 8>
// CHECK-DAG: mlgc_matrix_tile<mlgc_matrix_bf16, 32, 64, 4, true, true, 128, 32, 8>
// CHECK-DAG: mlgc_matrix_tile<mlgc_matrix_bf16, 128, 64, 4, false, false, 128, 32, 8>
// CHECK-DAG: mlgc_matrix_tile<mlgc_matrix_bf16, 128, 256, 4, true, true, 256, 32, 8>
