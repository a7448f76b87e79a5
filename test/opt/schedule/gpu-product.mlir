// A product on a GPU: columns that terms follow each other in are copied into the order of the threads; a block takes 16
// rows, a thread 4 neighbours of each; of rows in unknown number those beyond 1024 and its multiples go as they did.
// RUN: mlgc opt %s -O2 --to=gpu-loops > %t && FileCheck %s < %t
// RUN: mlgc opt %s -O2 --to=gpu-loops --numerics=exact | FileCheck %s --check-prefix=EXACT
func @forward(%x: tensor<[N]x40xf32>, %w: tensor<512x40xf32>) -> tensor<[N]x512xf32> {
  %y = linear %x, %w : tensor<[N]x512xf32>
  return %y
}
// CHECK: %packed = alloc : buffer<40x512xf32, arena>
// CHECK: for [0, 40] (%[[K:.*]]: index) attributes {kind = "parallel"} {
// CHECK: store %{{.*}}, %packed[%[[K]],
// CHECK: for [0, N floordiv 1024] (%[[PART:.*]]: index) attributes {kind = "parallel", schedule.strategy = "product-tiles"} {
// CHECK-NEXT: for [0, 64] (%[[ROWS:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for {{.*}} attributes {kind = "vector", lanes = 128} {
// CHECK: for [0, 40] (%[[T:.*]]: index,
// CHECK: load %x[1024*%[[PART]] + 16*%[[ROWS]] + 15, %[[T]]]
// CHECK: for [1024*(N floordiv 1024), N] (%{{.*}}: index) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
// EXACT: for [0, 128] (%{{.*}}: index) attributes {kind = "parallel"} {
