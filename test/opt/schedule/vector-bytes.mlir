// A module says how wide the vectors are that tiles are made for: of 64 bytes 4 in a row and 6 rows, of 32 bytes 2 and 6,
// since there are 16 registers only; where columns are no whole strips, narrower ones are.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: sed 's/module attributes {vector_bytes = "32"}/module/' %s | mlgc opt - --to=loops | FileCheck %s --check-prefix=WIDE
// RUN: sed 's/"32"/"48"/' %s > %t.bad.mlir
// RUN: %exits 1 mlgc opt %t.bad.mlir --to=loops 2>&1 | FileCheck %s --check-prefix=BAD
// CHECK: module attributes {vector_bytes = "32"} {
// CHECK: func @f.0.matmul
// CHECK: for [{{.*}}] (%{{.*}}: index) attributes {kind = "vector", lanes = 16} {
// CHECK: %1, %2, %3, %4, %5, %6 = for [0, 96]
// CHECK: func @g.0.conv2d
// CHECK: for [{{.*}}] (%w: index) attributes {kind = "vector", lanes = 8} {
// CHECK: %1, %2, %3, %4, %5, %6, %7, %8 = for [0, 72]
// WIDE: func @f.0.matmul
// WIDE: for [{{.*}}] (%{{.*}}: index) attributes {kind = "vector", lanes = 64} {
// WIDE: %1, %2, %3, %4, %5, %6 = for [0, 96]
// BAD: error: attribute `vector_bytes` of `module` is `48`, expected one of 16, 32, 64
module attributes {vector_bytes = "32"} {
  func @f(%x: tensor<96x96xf32>, %w: tensor<96x192xf32>) -> tensor<96x192xf32> {
    %y = matmul %x, %w
    return %y
  }
  func @g(%x: tensor<1x8x40x56xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<1x16x40x56xf32> {
    %y = conv2d %x, %w {padding = [1, 1]}
    return %y
  }
}
