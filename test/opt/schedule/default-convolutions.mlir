// The default schedule of a convolution of two inputs: zeros are put around the image, and where lanes would not read
// neighbours of that, as windows lie two apart, what the windows of a line of the result hold is packed once; the loops
// over a window become one over its terms; the sum carries a tile of output channels.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// CHECK: %padded = alloc : buffer<64x57x57xf32, arena>
// CHECK: for [0, 28] (%[[H:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: %packed = alloc : buffer<64x3x3x28xf32, thread>
// CHECK-NEXT: %[[FLAT:.*]] = buffer_view %packed : buffer<576x28xf32, thread>
// CHECK: for [0, 2] (%[[S:.*]]: index) attributes {kind = "unrolled", schedule.strategy = "elementwise-lanes"} {
// CHECK-NEXT: for [min(12, 16*%[[S]]), min(12, 16*%[[S]]) + 16] (%[[W:.*]]: index) attributes {kind = "vector", lanes = 16} {
// CHECK-NEXT: %[[V:.*]] = load %padded[%{{.*}}, %[[P:.*]] + 2*%[[H]], %[[Q:.*]] + 2*%[[W]]] : f32
// CHECK-NEXT: store %{{.*}}, %packed[%{{.*}}, %[[P]], %[[Q]], %[[W]]]
// CHECK: for [0, 10] (%[[O:.*]]: index) {
// CHECK-NEXT: for [0, 28] (%[[L:.*]]: index) attributes {kind = "vector", lanes = 32} {
// CHECK: = for [192*%[[B:.*]], 192*%[[B]] + 192] (%[[T:[^ ]*]]: index, %
// CHECK: load %[[FLAT]][%[[T]], %[[L]]] : f32
// CHECK: load %{{.*}}[12*%[[O]] + 11, %[[T]]] : f32
// CHECK: for [0, 28] ({{.*}}) attributes {kind = "vector", lanes = 32} {
// CHECK: load %{{.*}}[120, %
func @f(%x: tensor<1x64x56x56xf32>, %w: tensor<128x64x3x3xf32>, %b: tensor<128xf32>) -> tensor<1x128x28x28xf32> {
  %0 = conv2d %x, %w, %b {padding = [1, 1], stride = [2, 2]}
  return %0
}
