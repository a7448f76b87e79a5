// REQUIRES: libtorch
// The interpreter gives the op to LibTorch; complex values go from call to call, sizes are those of the run.
// RUN: mlgc eval %s --dim=B=2 --input=2x3xf32=iota --input=2xf32=7,8 | FileCheck %s
// RUN: mlgc eval %s --dim=B=2 --input=2x3xf32=iota --input=2xf32=7,8 --compare=torch | FileCheck %s --check-prefix=AGREE
// CHECK: y: 2x3xf32
// CHECK-NEXT: [0.0, 7.0, 2.0]
// CHECK-NEXT: [3.0, 8.0, 5.0]
// CHECK: power: 2x3xf32
// CHECK-NEXT: 9.0, 3.0, 3.0
// CHECK-NEXT: 144.0, 3.0, 3.0
// AGREE: y by interp: agrees
// AGREE: power by torch: agrees
func @f(%x: tensor<[B]x3xf32>, %s: tensor<[B]xf32>) -> (tensor<[B]x3xf32>, tensor<[B]x3xf32>) {
  %y = torch.call %x, %s {target = "aten::as_strided_scatter", parameters = ["self", "src", "size", "stride", "storage_offset"], arguments = [[B], [3], 1]} : tensor<[B]x3xf32>
  %c = torch.call %x {target = "aten::_fft_r2c", parameters = ["self", "dim", "normalization", "onesided"], arguments = [[1], 0, false]} : tensor<[B]x3xc64>
  %square = torch.call %c, %c {target = "aten::mul.Tensor", parameters = ["self", "other"]} : tensor<[B]x3xc64>
  %power = torch.call %square {target = "aten::abs", parameters = ["self"]} : tensor<[B]x3xf32>
  return %y, %power
}
