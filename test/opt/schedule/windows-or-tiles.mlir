// Windows of products go by lanes along columns or by tiles in registers, as is predicted for one core of the default
// machine, whatever the machine of the module. Windows that do not overlap are not packed: shuffles keep what lies 3 apart.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: mlgc opt %s --to=loops --machine=x86-64-v2,cores=2 | FileCheck %s
// RUN: mlgc explain schedule %s | FileCheck %s --check-prefix=WHY
// CHECK-LABEL: func @wide.0.conv2d(
// CHECK-NOT: window-lanes
// CHECK: schedule.strategy = "outer-product-tiles"
// CHECK-LABEL: func @depthwise.0.conv2d(
// CHECK: schedule.strategy = "window-lanes"
// CHECK-LABEL: func @apart.0.max_pool2d(
// CHECK-NOT: alloc
// CHECK: schedule.strategy = "window-lanes"
// WHY: @wide.0.conv2d
// WHY: window-lanes would apply: the kernel would take
func @wide(%x: tensor<1x3x16x23xf32>, %w: tensor<9x1x7x7xf32>) -> tensor<1x9x16x23xf32> {
  %y = conv2d %x, %w {groups = 3, padding = [9, 9], dilation = [3, 3]}
  return %y
}
func @depthwise(%x: tensor<1x32x56x56xf32>, %w: tensor<32x1x3x3xf32>) -> tensor<1x32x56x56xf32> {
  %y = conv2d %x, %w {groups = 32, padding = [1, 1]}
  return %y
}
func @apart(%x: tensor<4x8x30x30xf32>) -> tensor<4x8x10x10xf32> {
  %y, %i = max_pool2d %x {kernel_size = [3, 3]}
  return %y
}
