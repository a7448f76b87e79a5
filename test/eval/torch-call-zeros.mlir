// REQUIRES: libtorch
// Zeros that PyTorch keeps without memory become a tensor.
// RUN: mlgc eval %s --input=1,2 | FileCheck %s
// CHECK: y: 3xf32
// CHECK-NEXT: [0.0, 0.0, 0.0]
func @f(%x: tensor<2xf32>) -> tensor<3xf32> {
  %y = torch.call {arguments = [[3]], parameters = ["size"], target = "aten::_efficientzerotensor"} : tensor<3xf32>
  return %y
}
