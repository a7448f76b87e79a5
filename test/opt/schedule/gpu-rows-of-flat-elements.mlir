// The first nest of the kernel becomes two, of which the second one becomes a loop over flat buffers: allocs and views
// before a nest are replaced while it is scheduled. The place of the nest is among loops.
// RUN: mlgc opt %s --to=gpu-loops | FileCheck %s

// CHECK:    for [0, 113] (%n4: index) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
// CHECK:    for [0, 3164] (%n4_2_c_s4_s5_o: index) attributes {kind = "parallel", schedule.strategy = "block-per-tile"} {
// CHECK-NEXT:      for [1024*%n4_2_c_s4_s5_o, 1024*%n4_2_c_s4_s5_o + 1024] (%n4_2_c_s4_s5: index) attributes {kind = "vector", lanes = 256, per_lane = 4} {
func @forward(%x: tensor<113x256x16x7xf32>, %w: tensor<256xf32>, %b: tensor<256xf32>) -> tensor<113x256x16x7xf32> {
  %y, %m, %r = group_norm %x, %w, %b {num_groups = 16} : tensor<113x256x16x7xf32>, tensor<113x16xf32>, tensor<113x16xf32>
  return %y
}
