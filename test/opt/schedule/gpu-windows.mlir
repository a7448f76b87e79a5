// Results that each reduce a small window: the window is written out, and a thread takes neighbours.
// RUN: mlgc opt %s --to=gpu-loops | FileCheck %s
//
// CHECK-LABEL: func @average.0.avg_pool2d(
// CHECK: for [0, 7] (%{{.*}}_o: index) attributes {kind = "parallel", schedule.strategy = "block-per-tile"} {
// CHECK: attributes {kind = "vector", lanes = 256, per_lane = 4} {
// CHECK-NOT: for [0, 3]
// CHECK-LABEL: func @apart.0.avg_pool2d(
// CHECK: schedule.strategy = "thread-per-row"
// CHECK-LABEL: func @adaptive.0.adaptive_avg_pool2d(
// CHECK: schedule.strategy = "thread-per-row"
// CHECK-NOT: lanes
func @average(%x: tensor<4x3x20x27xf32>) -> tensor<4x3x20x27xf32> {
  %y = avg_pool2d %x {kernel_size = [3, 3], stride = [1, 1], padding = [1, 1]}
  return %y
}
func @apart(%x: tensor<4x3x20x28xf32>) -> tensor<4x3x5x7xf32> {
  %y = avg_pool2d %x {kernel_size = [4, 4], stride = [4, 4]}
  return %y
}
// How many elements a window has differs, and is at most 8.
func @adaptive(%x: tensor<4x3x13x53xf32>) -> tensor<4x3x6x8xf32> {
  %y = adaptive_avg_pool2d %x {output_size = [6, 8]}
  return %y
}
