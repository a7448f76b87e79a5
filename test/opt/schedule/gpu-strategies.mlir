// A kernel for each strategy of a GPU: the loop at which it was taken says so.
// RUN: mlgc opt %s --to=gpu-loops | FileCheck %s
//
// CHECK-LABEL: func @split_reduction.0.sum(
// CHECK: for [0, 7] (%{{.*}}: index) attributes {kind = "parallel", schedule.strategy = "split-reduction"} {
// CHECK: for [16384*%{{.*}}] (%{{.*}}: index, %{{.*}}) attributes {combine = ["add"], kind = "vector", lanes = 1024, per_lane = 4, schedule.strategy = "threads-over-row"} {
// CHECK-LABEL: func @turned.0.transpose_exp(
// CHECK: for [0, 2] (%{{.*}}_o: index) attributes {kind = "parallel", schedule.strategy = "transpose-in-shared-memory"} {
// CHECK-LABEL: func @product.0.matmul(
// CHECK: for [0, 256] (%{{.*}}_o: index) attributes {kind = "parallel", schedule.strategy = "product-tiles"} {
// CHECK-LABEL: func @elements.0.exp(
// CHECK: for [0, B ceildiv 256] (%{{.*}}_o: index) attributes {kind = "parallel", schedule.strategy = "block-per-tile"} {
// CHECK-LABEL: func @short_rows.0.add(
// CHECK: for [0, 3*B] (%{{.*}}: index) attributes {kind = "parallel", schedule.strategy = "thread-per-element"} {
// CHECK-LABEL: func @few_columns.0.sum(
// CHECK: %partial = alloc : buffer<77x300xf32, arena>
// CHECK: for [0, 77] (%i0_o: index) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK: for [65*%i0_o, min(5000, 65*%i0_o + 65)] (%i0: index, %2 = %0) {
// CHECK: for [0, 77] (%i0_p: index, %{{.*}} = %0) attributes {combine = ["add"], kind = "vector", lanes = 16} {
// CHECK-LABEL: func @columns.0.sum(
// CHECK: for [0, B] (%{{.*}}: index) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK-LABEL: func @rows.0.sum(
// CHECK: for [0, B] (%{{.*}}: index) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
// CHECK: for [0, 4096] (%{{.*}}: index, %{{.*}}) attributes {combine = ["add"], kind = "vector", lanes = 512, per_lane = 4, schedule.strategy = "threads-over-row"} {
// CHECK-LABEL: func @few_rows.0.sum(
// CHECK: %partial = alloc : buffer<99x8xf32, arena>
// CHECK: for [0, 99] (%i0_o: index) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
// CHECK: for [0, 51] (%i2: index, %2 = %0) attributes {combine = ["add"], kind = "vector", lanes = 64, schedule.strategy = "threads-over-inner-row"} {
// CHECK: for [81*%i0_o, min(8000, 81*%i0_o + 81)] (%i0: index, %5 = %3) {
// CHECK-LABEL: func @softmax_of_columns.0.softmax(
// CHECK: for [0, 9000] (%i7: index) attributes {kind = "parallel", schedule.strategy = "threads-over-columns"} {
// CHECK: %1 = for [0, 1000] (%i0: index, %2 = %0) attributes {combine = ["max"], kind = "vector", lanes = 32} {
// CHECK-NOT: alloc
// CHECK-LABEL: func @softmax_of_long_columns.0.softmax(
// CHECK: %partial = alloc : buffer<15x9000xf32, arena>
// CHECK: for [0, 15] (%i2_o: index) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK: for [0, 2000] (%i6: index) attributes {kind = "parallel"} {
// CHECK: for [0, 9] (%i7_3_o: index) attributes {kind = "parallel", schedule.strategy = "block-per-tile"} {
func @split_reduction(%x: tensor<1000x100xf32>) -> tensor<f32> {
  %y = sum %x {dim = [0, 1]}
  return %y
}
func @turned(%x: tensor<[B]x100xf32>) -> tensor<100x[B]xf32> {
  %t = transpose %x {dim0 = 0, dim1 = 1}
  %y = exp %t
  return %y
}
func @product(%x: tensor<4096x64xf64>, %w: tensor<64x128xf64>) -> tensor<4096x128xf64> {
  %y = matmul %x, %w
  return %y
}
func @elements(%x: tensor<[B]x4xf32>) -> tensor<[B]x4xf32> {
  %y = exp %x
  return %y
}
func @short_rows(%x: tensor<[B]x3x5xf32>, %b: tensor<5xf32>) -> tensor<[B]x3x5xf32> {
  %y = add %x, %b
  return %y
}
func @few_columns(%x: tensor<5000x300xf32>) -> tensor<300xf32> {
  %y = sum %x {dim = [0]}
  return %y
}
func @columns(%x: tensor<512x[B]xf32>) -> tensor<[B]xf32> {
  %y = sum %x {dim = [0]}
  return %y
}
func @rows(%x: tensor<[B]x4096xf32>) -> tensor<[B]xf32> {
  %y = sum %x {dim = [1]}
  return %y
}
func @few_rows(%x: tensor<8000x8x51xf32>) -> tensor<8xf32> {
  %y = sum %x {dim = [0, 2]}
  return %y
}
func @softmax_of_columns(%x: tensor<1000x9000xf32>) -> tensor<1000x9000xf32> {
  %y = softmax %x {dim = 0}
  return %y
}
func @softmax_of_long_columns(%x: tensor<2000x9000xf32>) -> tensor<2000x9000xf32> {
  %y = softmax %x {dim = 0}
  return %y
}
