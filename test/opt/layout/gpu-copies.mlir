// On a GPU channels between kernels are contiguous. What permutes an input whose channels are contiguous to an image for
// a convolution would copy it then: the convolution reads the input. A permutation that is a result stays, and so does one
// of an input in another order. Weights of groups have the channels of a group last.
// RUN: mlgc opt %s --to=gpu-loops | FileCheck %s
// RUN: mlgc eval %s --function=last --random-weights=1 --random-inputs=2 --output=@%t.npz
// RUN: mlgc opt %s --to=gpu-loops | mlgc eval --function=last --random-weights=1 --random-inputs=2 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME: result0: agrees
module @copies {
  weight @w : tensor<24x8x3x3xbf16>
  func @last(%x: tensor<2x9x7x16xbf16>) -> tensor<2x24x7x5xf32> {
    %w = read {symbol = @w} : tensor<24x8x3x3xbf16>
    %0 = permute %x {dims = [0, 3, 1, 2]} : tensor<2x16x9x7xbf16>
    %1 = conv2d %0, %w {groups = 2} : tensor<2x24x7x5xbf16>
    %2 = cast %1 {dtype = f32} : tensor<2x24x7x5xf32>
    return %2
  }
  func @also_result(%x: tensor<2x9x7x16xbf16>) -> (tensor<2x24x7x5xbf16>, tensor<2x16x9x7xbf16>) {
    %w = read {symbol = @w} : tensor<24x8x3x3xbf16>
    %0 = permute %x {dims = [0, 3, 1, 2]} : tensor<2x16x9x7xbf16>
    %1 = conv2d %0, %w {groups = 2} : tensor<2x24x7x5xbf16>
    return %1, %0
  }
  func @other_order(%x: tensor<2x7x9x16xbf16>) -> tensor<2x24x7x5xbf16> {
    %w = read {symbol = @w} : tensor<24x8x3x3xbf16>
    %0 = permute %x {dims = [0, 3, 2, 1]} : tensor<2x16x9x7xbf16>
    %1 = conv2d %0, %w {groups = 2} : tensor<2x24x7x5xbf16>
    return %1
  }
}
// CHECK-LABEL: func @last(
// CHECK-NEXT: %w_relaid = data @{{w.relaid_?}} : buffer<24x3x3x8xbf16, weight>
// CHECK-NEXT: launch @{{.*}}conv2d_cast.relaid, %x, %w_relaid, %result0
// CHECK-LABEL: func @also_result(
// CHECK-NEXT: launch @{{.*}}permute, %x, %result1
// CHECK-LABEL: func @other_order(
// CHECK-NEXT: %0 = alloc
// CHECK-NEXT: launch @{{.*}}permute.relaid, %x, %0
