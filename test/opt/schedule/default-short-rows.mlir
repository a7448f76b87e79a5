// Many short rows have the lanes, which read in strides and keep what a row keeps for a strip of rows. What lanes over
// 8 columns read across goes through squares of 8 by 8. Few output channels share registers with rows of the image, and
// read a copy of it with its border.
// RUN: mlgc opt %s --to=loops --machine=x86-64-v3 | FileCheck %s
// CHECK-LABEL: func @rows.0.softmax(
// CHECK: for [0, 256] (%[[T:.*]]: index) attributes {kind = "parallel", schedule.strategy = "lanes-over-columns"} {
// CHECK-NEXT: %e = alloc : buffer<5x32xf32, thread>
// CHECK-NEXT: for [32*%[[T]], 32*%[[T]] + 32] (%[[I:.*]]: index) attributes {kind = "vector", lanes = 32} {
// CHECK: for [0, 5] (%[[J:.*]]: index, %{{.*}} = %{{.*}}) {
// CHECK-NEXT: load %x[%[[I]], %[[J]]] : f32
// CHECK: store %{{.*}}, %e[%{{.*}}, %[[I]] - 32*%[[T]]]
// CHECK: store %{{.*}}, %y[%[[I]], %{{.*}}]
// CHECK-LABEL: func @longer.0.softmax(
// CHECK: schedule.strategy = "reduction-lanes"
// CHECK-LABEL: func @across.0.transpose_matmul(
// CHECK: %packed = alloc : buffer<183x8xf32, thread>
// CHECK: %x_square = alloc : buffer<8x8xf32, register>
// CHECK: transpose_in_place %x_square
// CHECK-LABEL: func @few.0.conv3d(
// CHECK: %padded = alloc : buffer<5x8x9x9x13xf32, arena>
// CHECK: = for [0, 4] (%c_o: index, {{.*}}) attributes {schedule.strategy = "outer-product-tiles"} {
// CHECK-NOT: guard
// CHECK: %[[P:.*]] = load %padded[%n, %c, %h + %p, %q, %r + %z] : f32
// CHECK-NEXT: load %padded[%n, %c, %h + %p, %q + 1, %r + %z] : f32
// CHECK: %[[W:.*]] = load %{{.*}}[1, %c, %p, %q, %r] : f32
// CHECK-NEXT: fma %[[P]], %[[W]], %{{.*}} : f32
func @rows(%x: tensor<8192x5xf32>) -> tensor<8192x5xf32> {
  %y = softmax %x {dim = 1}
  return %y
}
func @longer(%x: tensor<8192x25xf32>) -> tensor<8192x25xf32> {
  %y = softmax %x {dim = 1}
  return %y
}
func @across(%x: tensor<512x183xf32>, %w: tensor<37x183xf32>) -> tensor<512x37xf32> {
  %t = transpose %w {dim0 = 0, dim1 = 1}
  %y = matmul %x, %t
  return %y
}
func @few(%x: tensor<5x8x9x9x9xf32>, %w: tensor<2x8x5x5x5xf32>) -> tensor<5x2x5x5x9xf32> {
  %y = conv3d %x, %w {padding = [0, 0, 2]}
  return %y
}
