// The default schedule of reductions: lanes combine a row and carry it in f32; sums of rows go by blocks of rows. In exact
// numerics a sum keeps its loop, and says why; an extremum has lanes.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: mlgc opt %s --to=loops --numerics=exact | FileCheck %s --check-prefix=EXACT
// CHECK-LABEL: func @rows.0.softmax(
// CHECK: for [0, B] (%{{.*}}: index) attributes {kind = "parallel"} {
// CHECK: for [0, 1024] (%{{.*}}) attributes {combine = ["max"], kind = "vector", lanes = 64, schedule.strategy = "reduction-lanes"} {
// CHECK: %[[SUM:.*]] = for [0, 1024] (%{{.*}}: index, %[[ACC:.*]] = %{{.*}}) attributes {combine = ["add"], kind = "vector", lanes = 64, schedule.strategy = "reduction-lanes"} {
// CHECK: %[[E:.*]] = exp
// CHECK: store %[[E]], %e[
// CHECK-NEXT: add %[[ACC]], %[[E]] : f32
// CHECK: } : f32
// CHECK-NEXT: for [0, 1024] (%{{.*}}: index) attributes {kind = "vector", lanes = 64, schedule.strategy = "elementwise-lanes"} {
// CHECK-NEXT: load %e[
// CHECK-NEXT: div %{{.*}}, %[[SUM]] : f32
// CHECK-LABEL: func @columns.0.sum(
// CHECK: for [0, B ceildiv 128] (%[[T:.*]]: index) attributes {kind = "parallel", schedule.strategy = "blocked-column-reduction"} {
// CHECK: for [0, min(128, B - 128*%[[T]]) ceildiv 8] (%[[R:.*]]: index) {
// CHECK-NEXT: for [0, C] (%[[J:.*]]: index) attributes {kind = "vector", lanes = 64} {
// CHECK: %[[S:.*]] = for [128*%[[T]] + 8*%[[R]], min(128*%[[T]] + 8*%[[R]] + 8, B)] (
// CHECK: %[[P:.*]] = load %partial[%[[T]], %[[J]]] : f32
// CHECK-NEXT: %[[A:.*]] = add %[[P]], %[[S]] : f32
// CHECK-NEXT: store %[[A]], %partial[%[[T]], %[[J]]]
// EXACT-LABEL: func @rows.0.softmax(
// EXACT: for [0, 1024] (%{{.*}}) attributes {combine = ["max"], kind = "vector", lanes = 64, schedule.strategy = "reduction-lanes"} {
// EXACT: for [0, 1024] (%{{.*}}) attributes {schedule.serial = "lanes would change the order of a sum, which the numerics do not admit"} {
// EXACT: } : f64
// EXACT: for [0, 1024] (%{{.*}}: index) attributes {kind = "vector", lanes = 64, schedule.strategy = "elementwise-lanes"} {
// EXACT-LABEL: func @columns.0.sum(
// EXACT: attributes {kind = "vector", lanes = 64} {
func @rows(%x: tensor<[B]x1024xf32>) -> tensor<[B]x1024xf32> {
  %0 = softmax %x {dim = 1}
  return %0
}
func @columns(%x: tensor<[B]x[C]xf32>) -> tensor<[C]xf32> {
  %0 = sum %x {dim = [0]}
  return %0
}
