// Which operands of a product are brought together for its columns, and which sums go by tiles of their terms.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: mlgc opt %s --to=loops --numerics=exact | FileCheck %s --check-prefix=EXACT
//
// Heads that lie apart are put side by side first. As columns of a product each block of rows packs them.
// CHECK-LABEL: func @heads.0.transpose(
// CHECK-LABEL: func @heads.1.einsum(
// CHECK: for [0, 8] (%{{.*}}: index) attributes {kind = "parallel"} {
// CHECK: %packed = alloc : buffer<1024x64xf32, thread>
// CHECK: for [256*%{{.*}}] (%[[K:.*]]: index,
// CHECK-NEXT: load %packed[%[[K]],
//
// The gradient of a convolution's weight: one tile for each image, and the sum of what they give.
// CHECK-LABEL: func @images.0.einsum(
// CHECK: %partial = alloc : buffer<64x16x72xf32, arena>
// CHECK-NEXT: for [0, 64] (%[[N:.*]]: index) attributes {kind = "parallel", schedule.strategy = "split-contraction"} {
// CHECK: for [196*%
// CHECK: store %{{.*}}, %partial[%[[N]],
// CHECK: for [0, 16]
// CHECK: load %partial[
// CHECK: store %{{.*}}, %y
//
// Lines of a large operand lie far apart: each strip of its columns is brought together, in lanes. The partial sums of few
// tiles would be more than what is read; weights that few rows share are read once.
// CHECK-LABEL: func @large.0.matmul(
// CHECK-NOT: partial
// CHECK: %packed = alloc : buffer<4096x64xf32, thread>
// CHECK-NEXT: for [0, 4096] (%[[K:.*]]: index) {
// CHECK-NEXT: for [64*%{{.*}}] (%{{.*}}: index) attributes {kind = "vector", lanes = 64, schedule.strategy = "elementwise-lanes"} {
// CHECK-LABEL: func @once.0.linear(
// CHECK-NOT: alloc
// CHECK: return
// EXACT-LABEL: func @images.0.einsum(
// EXACT-NOT: partial
func @heads(%g: tensor<8x128x256xf32>, %y: tensor<8x4x128x64xf32>) -> tensor<256x256xf32> {
  %0 = transpose %y {dim0 = 1, dim1 = 2}
  %1 = view %0 {shape = [8, 128, 256]}
  %2 = einsum %g, %1 {equation = "abc,abd->cd"}
  return %2
}
func @images(%g: tensor<64x16x784xf32>, %x: tensor<64x784x72xf32>) -> tensor<16x72xf32> {
  %0 = einsum %g, %x {equation = "noh,nhc->oc"}
  return %0
}
func @large(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = matmul %x, %w
  return %0
}
func @once(%x: tensor<8x4096xf32>, %w: tensor<1024x4096xf32>) -> tensor<8x1024xf32> {
  %0 = linear %x, %w
  return %0
}
