// The default schedule of contractions. Columns that follow each other have the lanes, and the sum carries a tile of
// rows, 512 terms at a time in f32 and all of them in f64; where the terms follow each other the sum has the lanes, and
// carries a tile of 6 by 4. Rows that fill no tile are smaller ones. In exact numerics sums keep their order and f64.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: mlgc opt %s --to=loops --numerics=exact | FileCheck %s --check-prefix=EXACT
// CHECK-LABEL: func @product.0.matmul(
// CHECK: for [0, N ceildiv 64] (%[[NO:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, M floordiv 6] (%[[MO:.*]]: index) {
// CHECK-NEXT: for [64*%[[NO]], min(64*%[[NO]] + 64, N)] (%[[N:.*]]: index) attributes {kind = "vector", lanes = 64} {
// CHECK: %[[S0:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = for [0, K ceildiv 256] (%[[KO:[^ ]*]]: index, %[[ALL:[0-9]+]] = 
// CHECK: for [256*%[[KO]], min(256*%[[KO]] + 256, K)] (%[[K:[^ ]*]]: index, %[[A0:[0-9]+]] = 
// CHECK-NEXT: %[[B:.*]] = load %{{.*}}[%[[K]], %[[N]]]
// CHECK-NEXT: %[[X0:.*]] = load %x[6*%[[MO]], %[[K]]]
// CHECK-NEXT: fma %[[X0]], %[[B]], %[[A0]] : f32
// CHECK: add %[[ALL]], %{{.*}} : f64
// CHECK: %[[R0:.*]] = cast %[[S0]] {dtype = f32} : f32
// CHECK-NEXT: store %[[R0]], %y[6*%[[MO]], %[[N]]]
// CHECK: for [3*(M floordiv 6), M floordiv 2]
// CHECK: for [2*(M floordiv 2), M]
// CHECK-LABEL: func @dots.0.linear_relu(
// CHECK: for [0, 128] (%[[O:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, 5] (%[[R:.*]]: index) {
// CHECK: for [0, 784] ({{.*}}) attributes {combine = ["add", {{.*}}], kind = "vector", lanes = 16, schedule.strategy = "dot-product-tiles"} {
// CHECK: load %x[6*%[[R]] + 5, %{{.*}}]
// CHECK: load %x_2[4*%[[O]] + 3, %{{.*}}]
// CHECK: load %x[31, %{{.*}}]
// CHECK-LABEL: func @attention.0.
// CHECK: %packed = alloc : buffer<2x64x64xf32, thread>
// CHECK: for [0, 2] (%[[T:.*]]: index) attributes {schedule.strategy = "row-tiles"} {
// CHECK: for [64*%{{.*}}, 64*%{{.*}} + 64] (%{{.*}}: index) attributes {kind = "vector", lanes = 64} {
// CHECK: for [72*%[[T]], min(128, 72*%[[T]] + 72)]
// CHECK: for [0, 64] (%{{.*}}: index) attributes {kind = "vector", lanes = 64} {
// EXACT-LABEL: func @product.0.matmul(
// EXACT: attributes {kind = "vector", lanes = 32} {
// EXACT: } : f64, f64, f64, f64, f64, f64
// EXACT-LABEL: func @dots.0.linear_relu(
// EXACT-NOT: combine
// EXACT: } : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
func @product(%x: tensor<[M]x[K]xf32>, %w: tensor<[K]x[N]xf32>) -> tensor<[M]x[N]xf32> {
  %0 = matmul %x, %w
  return %0
}
func @dots(%x: tensor<32x784xf32>, %w: tensor<512x784xf32>, %b: tensor<512xf32>) -> tensor<32x512xf32> {
  %0 = linear %x, %w, %b
  %1 = relu %0
  return %1
}
func @attention(%q: tensor<8x128x64xf32>, %k: tensor<8x128x64xf32>, %v: tensor<8x128x64xf32>) -> tensor<8x128x64xf32> {
  %0 = scaled_dot_product_attention %q, %k, %v
  return %0
}
