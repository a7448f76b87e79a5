// REQUIRES: libtorch
// Lists of tensors, with and without holes.
// RUN: mlgc eval %s --input=2x2xf32=1,2,3,4 --input=2xi64=1,0 | FileCheck %s
// CHECK: joined: 4x2xf32
// CHECK-NEXT: [1.0, 2.0]
// CHECK-NEXT: [3.0, 4.0]
// CHECK-NEXT: [1.0, 2.0]
// CHECK: chosen: 2x2xf32
// CHECK-NEXT: [2.0, 1.0]
// CHECK-NEXT: [4.0, 3.0]
// CHECK: low: 2x1xf32
// CHECK-NEXT: [1.0]
// CHECK-NEXT: [3.0]
func @f(%x: tensor<2x2xf32>, %i: tensor<2xi64>) -> (tensor<4x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>) {
  %joined = torch.call %x, %x {target = "aten::cat", parameters = ["tensors[0]", "tensors[1]"]} : tensor<4x2xf32>
  %chosen = torch.call %x, %i {target = "aten::index.Tensor", parameters = ["self", "indices[1]"]} : tensor<2x2xf32>
  %low, %high = torch.call %x {target = "aten::split.Tensor", parameters = ["self", "split_size", "dim"], arguments = [1, 1]} : tensor<2x1xf32>, tensor<2x1xf32>
  return %joined, %chosen, %low
}
