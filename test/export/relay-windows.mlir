// Windows have operators of their own.
// RUN: mlgc export %s --to=relay | FileCheck %s
// CHECK: #[version = "0.0.5"]
// CHECK-NEXT: // result 0: small
// CHECK-NEXT: def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(6, 2, 3, 3), float32], %b: Tensor[(6,), float32], %t: Tensor[(6, 4, 2, 2), float32]) -> Tensor[(1, 4, 6, 6), float32] {
// CHECK-NEXT:   let %0: Tensor[(1, 6, 6, 6), float32] = nn.conv2d(%x, %w, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[2, 2], groups=2);
// CHECK-NEXT:   let %y: Tensor[(1, 6, 6, 6), float32] = nn.bias_add(%0, %b, axis=1);
// CHECK-NEXT:   let %up: Tensor[(1, 4, 12, 12), float32] = nn.conv2d_transpose(%y, %t, strides=[2, 2], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, output_padding=[0, 0]);
// CHECK-NEXT:   let %small: Tensor[(1, 4, 6, 6), float32] = nn.max_pool2d(%up, pool_size=[3, 3], strides=[2, 2], dilation=[1, 1], padding=[1, 1, 1, 1], ceil_mode=False);
// CHECK-NEXT:   %small
// CHECK-NEXT: }
func @forward(%x: tensor<1x4x8x8xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>, %t: tensor<6x4x2x2xf32>) -> tensor<1x4x6x6xf32> {
  %y = conv2d %x, %w, %b {dilation = [2, 2], groups = 2, padding = [1, 1], stride = [1, 1]}
  %up = conv_transpose2d %y, %t {stride = [2, 2]}
  %small, %at = max_pool2d %up {kernel_size = [3, 3], padding = [1, 1], stride = [2, 2]}
  return %small
}
