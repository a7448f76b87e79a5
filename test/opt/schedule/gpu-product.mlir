// A product on a GPU: columns that terms follow each other in are copied into the order of the threads; a block takes 16
// rows, a thread 4 neighbours of each; of rows in unknown number those beyond 1024 and its multiples go as they did.
// RUN: mlgc opt %s -O2 --to=gpu-loops > %t && FileCheck %s < %t
// RUN: mlgc opt %s -O2 --to=gpu-loops --numerics=exact | FileCheck %s --check-prefix=EXACT
func @forward(%x: tensor<[N]x40xf64>, %w: tensor<512x40xf64>) -> tensor<[N]x512xf64> {
  %y = linear %x, %w : tensor<[N]x512xf64>
  return %y
}
// CHECK: %packed = alloc : buffer<40x520xf64, arena>
// CHECK: for [0, 1] (%k_in_o: index) attributes {kind = "parallel", schedule.strategy = "transpose-in-shared-memory"} {
// CHECK: for [64*%k_in_o, min(40, 64*%k_in_o + 64)] (%k_in: index) attributes {kind = "vector", lanes = 8} {
// CHECK-NEXT: for [64*%n_in_o, 64*%n_in_o + 64] (%n_in: index) attributes {kind = "vector", lanes = 32, per_lane = 2} {
// CHECK-NEXT: %0 = load %x_2_tile[%n_in - 64*%n_in_o, %k_in - 64*%k_in_o] : f64
// CHECK-NEXT: store %0, %packed[%k_in, %n_in]
// CHECK: for [0, N floordiv 1024] (%[[PART:.*]]: index) attributes {kind = "parallel", schedule.strategy = "product-tiles"} {
// CHECK-NEXT: for [0, 64] (%[[ROWS:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for {{.*}} attributes {kind = "vector", lanes = 128} {
// CHECK: for [0, 40] (%[[T:.*]]: index,
// CHECK: load %x[1024*%[[PART]] + 16*%[[ROWS]] + 15, %[[T]]]
// CHECK: for [1024*(N floordiv 1024), N] (%{{.*}}: index) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
// EXACT: for [0, 128] (%{{.*}}: index) attributes {kind = "parallel"} {
