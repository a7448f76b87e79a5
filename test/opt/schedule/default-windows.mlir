// The default schedule of windows: what they read is copied for each channel, padding included, in the order of the
// lanes; each lane has a window of its own, which is written out, for four rows side by side. Every second column has a
// row of its own, so that borders are loops of their own, and rows begin with a line of the cache. Positions that nobody
// asks for are not computed.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: mlgc opt %s --to=loops --machine=x86-64-v4,line_bytes=128 | FileCheck %s --check-prefix=LINE
// LINE-LABEL: func @pool.0.max_pool2d
// LINE: %packed = alloc : buffer<57x2x64xf32, thread>
// CHECK-LABEL: func @pool.0.max_pool2d
// CHECK-NOT: i64
// CHECK: for [0, 256] (%[[C:.*]]: index) attributes {kind = "parallel", schedule.strategy = "window-lanes"} {
// CHECK-NEXT: %packed = alloc : buffer<57x2x48xf32, thread>
// CHECK: for [1, 57] (%[[U:[^ :]*]]: index) {
// CHECK: for [0, 28] (%[[V:[^ :]*]]: index) attributes {kind = "vector", lanes = 8} {
// CHECK-NEXT: load %{{.*}}[%[[C]], %[[U]] - 1, 2*%[[V]]] : f32
// CHECK-NEXT: store %{{.*}}, %packed[%[[U]], 1, %[[V]]]
// CHECK: for [0, 7] (%[[H:.*]]: index) {
// CHECK-NEXT: for [0, 28] (%[[W:.*]]: index) attributes {kind = "vector", lanes = 16} {
// CHECK: for [0, 3] (%[[P:[^:]*]]: index, %{{.*}}) attributes {kind = "unrolled"} {
// CHECK-NEXT: for [0, 3] (%[[Q:[^:]*]]: index, %{{.*}}) attributes {kind = "unrolled"} {
// CHECK-NEXT: load %packed[%[[P]] + 8*%[[H]], %[[Q]] mod 2, %[[Q]] floordiv 2 + %[[W]]]
// CHECK-NEXT: maximum
// CHECK-NEXT: load %packed[%[[P]] + 8*%[[H]] + 2, %[[Q]] mod 2, %[[Q]] floordiv 2 + %[[W]]]
// CHECK-NEXT: maximum
// CHECK-NEXT: load %packed[%[[P]] + 8*%[[H]] + 4, %[[Q]] mod 2, %[[Q]] floordiv 2 + %[[W]]]
// CHECK-NEXT: maximum
// CHECK-NEXT: load %packed[%[[P]] + 8*%[[H]] + 6, %[[Q]] mod 2, %[[Q]] floordiv 2 + %[[W]]]
// CHECK-NEXT: maximum
// CHECK-LABEL: func @apart.0.max_pool2d
// CHECK-NOT: packed
// CHECK-NOT: i64
// CHECK: load %{{.*}}[%{{.*}}, %{{.*}} + 8*%{{.*}}, %{{.*}} + 2*%{{.*}}]
// CHECK-LABEL: func @depthwise.0.conv2d
// CHECK: %packed = alloc : buffer<30x48xf32, thread>
// CHECK: load %packed[%{{.*}} + 4*%{{.*}}, %{{.*}} + %{{.*}}]
// CHECK: fma
func @pool(%x: tensor<4x64x56x56xf32>) -> tensor<4x64x28x28xf32> {
  %y, %at = max_pool2d %x {kernel_size = [3, 3], padding = [1, 1], stride = [2, 2]}
  return %y
}
func @apart(%x: tensor<4x64x56x56xf32>) -> tensor<4x64x28x28xf32> {
  %y, %at = max_pool2d %x {kernel_size = [2, 2]}
  return %y
}
func @depthwise(%x: tensor<1x96x28x28xf32>, %w: tensor<96x1x3x3xf32>, %b: tensor<96xf32>) -> tensor<1x96x28x28xf32> {
  %y = conv2d %x, %w, %b {groups = 96, padding = [1, 1]}
  return %y
}
