// Rows of windows that have nothing in common with other rows are packed, with their padding, where they are long; short
// ones are read in place, under masks. Rows that overlap are packed together, whatever their length.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: mlgc opt %s --to=loops --machine=x86-64-v2 | FileCheck %s --check-prefix=NARROW
// CHECK-LABEL: func @short.0.conv2d(
// CHECK-NOT: alloc
// CHECK: for [0, 6] (%w: index) attributes {kind = "vector", lanes = 8} {
// CHECK-LABEL: func @long.0.max_pool2d(
// CHECK: %packed = alloc
// CHECK-LABEL: func @overlapping.0.conv2d(
// CHECK: %packed = alloc
// NARROW-LABEL: func @short.0.conv2d(
// NARROW: %packed = alloc
func @short(%x: tensor<5x352x15x15xf32>, %w: tensor<352x1x1x4xf32>) -> tensor<5x352x5x6xf32> {
  %y = conv2d %x, %w {groups = 352, stride = [3, 3], padding = [0, 2]}
  return %y
}
func @long(%x: tensor<1x32x16x100xf32>) -> tensor<1x32x16x100xf32> {
  %y, %i = max_pool2d %x {kernel_size = [1, 5], stride = [1, 1], padding = [0, 2]}
  return %y
}
func @overlapping(%x: tensor<1x32x15x15xf32>, %w: tensor<32x1x3x3xf32>) -> tensor<1x32x15x15xf32> {
  %y = conv2d %x, %w {groups = 32, padding = [1, 1]}
  return %y
}
