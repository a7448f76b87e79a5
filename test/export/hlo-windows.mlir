// Windows have operations of their own.
// RUN: mlgc export %s --to=hlo | FileCheck %s
// CHECK: HloModule model
// CHECK-NEXT: // parameter 0: x
// CHECK-NEXT: // parameter 1: w
// CHECK-NEXT: // parameter 2: b
// CHECK-NEXT: // parameter 3: t
// CHECK-NEXT: // result 0: small
// CHECK-EMPTY:
// CHECK-NEXT: %maximum.1 {
// CHECK-NEXT:   %p = f32[] parameter(0)
// CHECK-NEXT:   %p.1 = f32[] parameter(1)
// CHECK-NEXT:   ROOT %maximum = f32[] maximum(%p, %p.1)
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: ENTRY %main {
// CHECK-NEXT:   %x = f32[1,4,8,8] parameter(0)
// CHECK-NEXT:   %w = f32[6,2,3,3] parameter(1)
// CHECK-NEXT:   %b = f32[6] parameter(2)
// CHECK-NEXT:   %t = f32[6,4,2,2] parameter(3)
// CHECK-NEXT:   %convolution = f32[1,6,6,6] convolution(%x, %w), window={size=3x3 stride=1x1 pad=1_1x1_1 lhs_dilate=1x1 rhs_dilate=2x2}, dim_labels=bf01_oi01->bf01, feature_group_count=2
// CHECK-NEXT:   %reshape = f32[1,6] reshape(%b)
// CHECK-NEXT:   %broadcast = f32[1,6,6,6] broadcast(%reshape), dimensions={0,1}
// CHECK-NEXT:   %y = f32[1,6,6,6] add(%convolution, %broadcast)
// CHECK-NEXT:   %reverse = f32[6,4,2,2] reverse(%t), dimensions={2,3}
// CHECK-NEXT:   %transpose = f32[4,6,2,2] transpose(%reverse), dimensions={1,0,2,3}
// CHECK-NEXT:   %up = f32[1,4,12,12] convolution(%y, %transpose), window={size=2x2 stride=1x1 pad=1_1x1_1 lhs_dilate=2x2 rhs_dilate=1x1}, dim_labels=bf01_oi01->bf01
// CHECK-NEXT:   %constant = f32[] constant(-inf)
// CHECK-NEXT:   %small = f32[1,4,6,6] reduce-window(%up, %constant), window={size=1x1x3x3 stride=1x1x2x2 pad=0_0x0_0x1_0x1_0 rhs_dilate=1x1x1x1}, to_apply=%maximum.1
// CHECK-NEXT:   ROOT %tuple = (f32[1,4,6,6]) tuple(%small)
// CHECK-NEXT: }
func @forward(%x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>, %t: tensor<6x4x2x2xf32>) -> tensor<1x4x6x6xf32> {
  %y = conv2d %x, %w, %b {dilation = [2, 2], groups = 2, padding = [1, 1], stride = [1, 1]}
  %up = conv_transpose2d %y, %t {stride = [2, 2]}
  %small, %at = max_pool2d %up {kernel_size = [3, 3], padding = [1, 1], stride = [2, 2]}
  return %small
}
