// On a GPU views that split an axis follow the buffer, those that join axes keep it. What convolutions multiply that is an
// argument says which axis has the channels, as a weight does; of a product without windows it does not.
// RUN: mlgc opt %s -O2 --to=scalar-loops -o %t.mlir
// RUN: mlgc opt %t.mlir --pass-pipeline='layout{device=gpu}' | FileCheck %s
// RUN: mlgc eval %t.mlir --function=split --random-weights=1 --random-inputs=2 --output=@%t.npz
// RUN: mlgc opt %t.mlir --pass-pipeline='layout{device=gpu}' | mlgc eval --function=split --random-weights=1 --random-inputs=2 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME: result0: agrees
// CHECK: func @split(
// CHECK: [[OF:%.*]] = alloc {layout.order = "[0, 2, 3, 1], channels last for the matrix unit"} : buffer<2x5x6x32xbf16, arena>
// CHECK: buffer_view [[OF]] : buffer<2x5x6x8x2x2xbf16, arena>
// CHECK: func @joined(
// CHECK: alloc {layout.kept = "the layout of the buffer cannot change: a buffer is a view of it"} : buffer<2x32x5x6xbf16, arena>
// CHECK: func @given(
// CHECK: alloc {layout.order = "[0, 2, 3, 1], channels last for the matrix unit"} : buffer<2x5x6x32xbf16, arena>
// CHECK: func @product(
// CHECK-NOT: layout.order
module {
  weight @w : tensor<32x16x3x3xbf16>
  func @split(%x: tensor<2x16x5x6xbf16>) -> tensor<2x8x10x12xf32> {
    %w = read {symbol = @w} : tensor<32x16x3x3xbf16>
    %0 = conv2d %x, %w {padding = [1, 1]}
    %1 = view %0 {shape = [2, 8, 2, 2, 5, 6]}
    %2 = permute %1 {dims = [0, 1, 4, 2, 5, 3]}
    %3 = view %2 {shape = [2, 8, 10, 12]}
    %4 = cast %3 {dtype = f32}
    return %4
  }
  func @joined(%x: tensor<2x16x5x6xbf16>) -> tensor<2x32x30xbf16> {
    %w = read {symbol = @w} : tensor<32x16x3x3xbf16>
    %0 = conv2d %x, %w {padding = [1, 1]}
    %1 = view %0 {shape = [2, 32, 30]}
    %2 = softmax %1 {dim = -1}
    return %2
  }
  func @given(%x: tensor<2x16x5x6xbf16>, %w: tensor<32x16x3x3xbf16>, %v: tensor<16x32x3x3xbf16>) -> tensor<2x16x5x6xbf16> {
    %0 = conv2d %x, %w {padding = [1, 1]}
    %1 = conv2d %0, %v {padding = [1, 1]}
    return %1
  }
  func @product(%x: tensor<16x64xbf16>, %w: tensor<64x32xbf16>, %v: tensor<32x8xbf16>) -> tensor<16x8xbf16> {
    %0 = matmul %x, %w
    %1 = relu %0
    %2 = matmul %1, %v
    return %2
  }
}
