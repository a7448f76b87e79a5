// The only window along an axis, if it reaches over all of it, is the axis, however large it is stated; with ceil_mode
// it is an operator where rounding up makes no window more.
// RUN: mlgc export %s --to=onnx-text | FileCheck %s
// CHECK: forward (float[1, 4, 7, 9] x) => (float[1, 4, 1, 1] mean, float[1, 4, 1, 3] most) {
// CHECK-NEXT:   mean = AveragePool <kernel_shape: ints = [7, 9], strides: ints = [2560, 2560], pads: ints = [0, 0, 0, 0], count_include_pad: int = 0> (x)
// CHECK-NEXT:   most = MaxPool <kernel_shape: ints = [7, 3], strides: ints = [100, 3], pads: ints = [0, 0, 0, 0], dilations: ints = [1, 1]> (x)
// CHECK-NEXT: }
func @forward(%x: tensor<1x4x7x9xf32>) -> (tensor<1x4x1x1xf32>, tensor<1x4x1x3xf32>) {
  %mean = avg_pool2d %x {ceil_mode = true, count_include_pad = false, kernel_size = [2560, 2560], stride = [2560, 2560]}
  %most, %at = max_pool2d %x {ceil_mode = true, kernel_size = [100, 3], padding = [50, 0], stride = [100, 3]}
  return %mean, %most
}
