// Products of f32, bf16 and f16 become tiles of the matrix unit, whatever the order of their factors in memory; the tile depends on
// how many there are for each multiprocessor, and what follows from a sum stays in the tile. Of few
// tiles parts of the terms are blocks, too. Numerics that admit no other
// rounding do without.
// RUN: mlgc opt %s --to=gpu-loops | FileCheck %s
// RUN: mlgc opt %s --to=gpu-loops --numerics=exact | FileCheck %s --check-prefix=EXACT
// RUN: mlgc explain schedule %s --target=cuda --numerics=exact | FileCheck %s --check-prefix=WHY
// EXACT-NOT: matrix
// WHY: tensor-core-tiles does not apply: the matrix unit rounds sums otherwise, which the numerics do not admit
//
// CHECK-LABEL: func @linear.0.linear_relu(
// CHECK: for [0, 32] (%b1_o: index) attributes {kind = "parallel", schedule.strategy = "tensor-core-tiles"} {
// CHECK-NEXT: for [0, 16] (%b2_o: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [128*%b1_o, 128*%b1_o + 128] (%b1: index) attributes {kind = "matrix", stages = 4} {
// CHECK-NEXT: for [256*%b2_o, 256*%b2_o + 256] (%b2: index) attributes {kind = "vector", lanes = 32, per_lane = 8} {
// CHECK-NEXT: %0 = literal {dtype = f32, value = 0.0} : f32
// CHECK-NEXT: %1 = for [0, 512] (%k: index, %2 = %0) {
// CHECK: load %x[%b1, %k] : bf16
// CHECK: load %x_2[%b2, %k] : bf16
// CHECK: } : f32
// CHECK: load %x_3[%b2] : bf16
// CHECK: store %{{.*}}, %y_2[%b1, %b2]
// CHECK-LABEL: func @few_rows.0.linear(
// CHECK: for [0, 64] (%n_o: index) attributes {kind = "parallel", schedule.strategy = "tensor-core-tiles"} {
// CHECK-NEXT: for [0, 3] (%{{.*}}: index) attributes {kind = "matrix", stages = 4} {
// CHECK-NEXT: for [64*%n_o, 64*%n_o + 64] (%n: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
// CHECK-LABEL: func @any.0.matmul(
// CHECK: for [0, B] (%b0: index) attributes {kind = "parallel", schedule.strategy = "tensor-core-tiles"} {
// CHECK-NEXT: for [0, M ceildiv 128] (%m_o: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, N ceildiv 128] (%n_o: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [128*%m_o, min(128*%m_o + 128, M)] (%m: index) attributes {kind = "matrix", stages = 4} {
// CHECK-NEXT: for [128*%n_o, min(128*%n_o + 128, N)] (%n: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
// CHECK-LABEL: func @few_tiles.0.linear(
// CHECK: %partial = alloc : buffer<5x64x1024xf32, arena>
// CHECK-NEXT: for [0, 5] (%k_o: index) attributes {kind = "parallel", schedule.strategy = "tensor-core-tiles"} {
// CHECK: attributes {kind = "matrix", stages = 4} {
// CHECK: for [832*%k_o, min(4096, 832*%k_o + 832)] (%k: index, %2 = %0) {
// CHECK: store %1, %partial[%k_o, %{{.*}}, %{{.*}}]
// CHECK: for [0, 5] (%k_p: index, %2 = %0) {
// CHECK-LABEL: func @one_row.0.linear(
// CHECK-NOT: kind = "matrix"
// CHECK-LABEL: func @wide.0.linear(
// CHECK-NEXT: for [0, 64] (%b0_o: index) attributes {kind = "parallel", schedule.strategy = "tensor-core-tiles"} {
// CHECK-NEXT: for [0, 32] (%n_o: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [64*%b0_o, 64*%b0_o + 64] (%b0: index) attributes {kind = "matrix", stages = 4} {
// CHECK-NEXT: for [128*%n_o, 128*%n_o + 128] (%n: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
// CHECK-LABEL: func @double.0.linear(
// CHECK-NOT: kind = "matrix"
func @linear(%x: tensor<4096x512xbf16>, %w: tensor<4096x512xbf16>, %b: tensor<4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = linear %x, %w, %b : tensor<4096x4096xbf16>
  %1 = relu %0 : tensor<4096x4096xbf16>
  return %1
}
func @few_rows(%x: tensor<3x512xf16>, %w: tensor<4096x512xf16>) -> tensor<3x4096xf16> {
  %0 = linear %x, %w : tensor<3x4096xf16>
  return %0
}
func @any(%x: tensor<[B]x[M]x[K]xf16>, %w: tensor<[B]x[K]x[N]xf16>) -> tensor<[B]x[M]x[N]xf16> {
  %0 = matmul %x, %w : tensor<[B]x[M]x[N]xf16>
  return %0
}
func @few_tiles(%x: tensor<64x4096xbf16>, %w: tensor<1024x4096xbf16>) -> tensor<64x1024xbf16> {
  %0 = linear %x, %w : tensor<64x1024xbf16>
  return %0
}
func @one_row(%x: tensor<1x512xbf16>, %w: tensor<4096x512xbf16>) -> tensor<1x4096xbf16> {
  %0 = linear %x, %w : tensor<1x4096xbf16>
  return %0
}
func @wide(%x: tensor<4096x512xf32>, %w: tensor<4096x512xf32>) -> tensor<4096x4096xf32> {
  %0 = linear %x, %w : tensor<4096x4096xf32>
  return %0
}
func @double(%x: tensor<4096x512xf64>, %w: tensor<4096x512xf64>) -> tensor<4096x4096xf64> {
  %0 = linear %x, %w : tensor<4096x4096xf64>
  return %0
}
