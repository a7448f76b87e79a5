// Each reason why a use is not fused, but for `limit` (max-ops.mlir), `region` (control-flow.mlir) and `row-memory`
// (row-bytes.mlir).
// RUN: mlgc explain fusion %s | FileCheck %s --match-full-lines --strict-whitespace
func @contraction(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = relu %x
  %m = matmul %a, %w
  %r = softmax %m {dim = 1}
  return %r
}
// CHECK:    apart  %a of relu    by %m = matmul   512 bytes lost  contraction: a contraction reads each element of its operands many times, and its result is complete only after its last step; needs a schedule that packs the operand, or computes blocks of whole rows
// CHECK:    apart  %m of matmul  by %r = softmax  512 bytes lost  contraction: a contraction reads each element of its operands many times, and its result is complete only after its last step; needs a schedule that packs the operand, or computes blocks of whole rows
func @cycle(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = relu %x
  %m = matmul %w, %w
  %r = scan %a, %m (%c: tensor<8x8xf32>, %o: tensor<8xf32>) attributes {carried = 1} {
    yield %c
  }
  %z = add %a, %r
  return %z
}
// CHECK:    apart  %a of relu    by %r = scan                  no-kernel: one of the two is not a kernel
// CHECK:    apart  %a of relu    by %z = add   256 bytes lost  cycle: between the two another kernel may have to run; needs fusing or moving what stands between them
func @scatter(%x: tensor<8x4xf32>, %i: tensor<3xi64>, %v: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %a = index_add %x, %i, %v {dim = 0}
  %r = relu %a
  return %r
}
// CHECK:    apart  %a of index_add  by %r = relu  256 bytes lost  scatter: what a scatter writes is complete only when all of it has run; needs a gather in its place
func @rows(%x: tensor<4x100000xf32>) -> tensor<4x100000xf32> {
  %a = exp %x
  %r = softmax %a {dim = 1}
  return %r
}
// CHECK:    apart  %a of exp  by %r = softmax  3200000 bytes lost  rows: together they would have too few parallel rows for all threads; needs larger leading sizes
func @repeated(%v: tensor<64xf32>, %x: tensor<[B]x64xf32>) -> tensor<[B]x64xf32> {
  %a = exp %v
  %r = mul %a, %x
  return %r
}
// CHECK:    apart  %a of exp  by %r = mul  512 bytes lost  repeated: it would be recomputed for each element of another dim; needs moving the smaller one to where its size is the larger one's
func @window(%x: tensor<1x16x20x20xf32>, %w: tensor<16x1x3x3xf32>) -> (tensor<1x16x20x20xf32>, tensor<1x16x1x1xf32>) {
  %c = conv2d %x, %w {groups = 16, padding = [1, 1]}
  %a = relu %c
  %r = adaptive_avg_pool2d %a {output_size = [1, 1]}
  return %a, %r
}
// CHECK:    fused  %c of conv2d  by %a = relu                 51200 bytes saved  element: the reader needs the element that was just computed
// CHECK:    apart  %a of relu    by %r = adaptive_avg_pool2d  25600 bytes lost   window: vectors iterate over adjacent windows, and a reduction of their results is in the way; needs a schedule that splits a nest between windows and their reduction
func @windows(%x: tensor<1x16x20x20xf32>) -> tensor<1x16x10x20xf32> {
  %p = avg_pool2d %x {kernel_size = [3, 3], stride = [2, 1], padding = [1, 1]}
  %r = softmax %p {dim = 3}
  return %r
}
// CHECK:    apart  %p of avg_pool2d  by %r = softmax  25600 bytes lost  window: vectors iterate over adjacent windows, and a reduction of their results is in the way; needs a schedule that splits a nest between windows and their reduction
