// Contractions whose columns lie in strides are packed also where few threads have work then: a convolution of one axis
// (or one row), groups, and an image of few columns, whose lanes are output channels. A depthwise convolution has nothing
// to share: it goes by windows.
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=row --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=row --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=groups --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=groups --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=small --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=small --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=depthwise --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=depthwise --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME: y: agrees
//
// Strips of columns, each packed for all output channels.
// CHECK-LABEL: func @row.0.conv1d(
// CHECK: for [0, 7] (%[[S:h_o.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: %packed = alloc : buffer<16x5x32xf32, thread>
// CHECK: (%[[H:h.*]]: index) attributes {kind = "vector", lanes = 32} {
//
// A loop over groups and one over the channels of a group: nothing is divided any more.
// CHECK-LABEL: func @groups.0.conv1d(
// CHECK-NOT: floordiv
// CHECK: for [0, 3] (%[[G:o_o.*]]: index)
// CHECK: %packed = alloc : buffer<8x3x{{[0-9]+}}xf32, thread>
//
// Three columns: lanes over the output channels, whose weights are packed once, for any thread.
// CHECK-LABEL: func @small.0.conv2d(
// CHECK: %packed = alloc : buffer<{{.*}}x32xf32, arena>
// CHECK: (%o: index) attributes {kind = "vector", lanes = 32} {
// CHECK: store %{{.*}}, %y[0, %o,
//
// CHECK-LABEL: func @depthwise.0.conv1d(
// CHECK: for [0, 20] ({{.*}}) attributes {kind = "parallel", schedule.strategy = "window-lanes"} {
// CHECK: for [0, 7] (%p: index, {{.*}}) attributes {kind = "unrolled"} {
func @row(%x: tensor<1x16x440xf32>, %w: tensor<24x16x5xf32>) -> tensor<1x24x218xf32> {
  %y = conv1d %x, %w {stride = [2]}
  return %y
}
func @groups(%x: tensor<2x24x50xf32>, %w: tensor<36x8x3xf32>) -> tensor<2x36x24xf32> {
  %y = conv1d %x, %w {stride = [2], groups = 3}
  return %y
}
func @small(%x: tensor<1x8x15x15xf32>, %w: tensor<32x8x7x7xf32>) -> tensor<1x32x3x3xf32> {
  %y = conv2d %x, %w {stride = [3, 3], dilation = [1, 1]}
  return %y
}
func @depthwise(%x: tensor<1x20x101xf32>, %w: tensor<20x1x7xf32>) -> tensor<1x20x48xf32> {
  %y = conv1d %x, %w {stride = [2], groups = 20}
  return %y
}
