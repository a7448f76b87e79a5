// An operator of PyTorch without a row: every kind of argument in both forms.
// RUN: mlgc opt %s -o %t.1.mlir && mlgc opt %t.1.mlir | diff %t.1.mlir -
// RUN: mlgc opt %s --form=generic -o %t.2.mlir && mlgc opt %t.2.mlir | diff %t.1.mlir -
// RUN: FileCheck %s < %t.1.mlir
// RUN: FileCheck %s --check-prefix=GENERIC < %t.2.mlir
// CHECK: %y = torch.call %x, %i {arguments = [none, [B, 2], 2*B, true, f32, "sum", [0.5, 1.5], [true, false], 1.5], parameters = ["self", "indices[1]", "a", "b", "c", "d", "e", "f", "g", "h", "j"], target = "aten::made_up.Tensor"} : tensor<[B]xf32>
// CHECK: %p, %q = torch.call {target = "package::pair"}
// GENERIC: %y = "mlgc.torch.call"(%x, %i) <{arguments = [none, #mlgc.ints<"B", "2">, #mlgc.int<"2*B">, true, f32, "sum", array<f64: 0.5, 1.5>, array<i1: true, false>, 1.5 : f64], parameters = {{.*}}, target = "aten::made_up.Tensor"}> : (tensor<?xf32, ["B"]>, tensor<?xi64, ["B"]>) -> tensor<?xf32, ["B"]>
func @f(%x: tensor<[B]xf32>, %i: tensor<[B]xi64>) -> tensor<[B]xf32> {
  %y = torch.call %x, %i {target = "aten::made_up.Tensor", parameters = ["self", "indices[1]", "a", "b", "c", "d", "e", "f", "g", "h", "j"], arguments = [none, [B, 2], 2*B, true, f32, "sum", [0.5, 1.5], [true, false], 1.5]} : tensor<[B]xf32>
  %p, %q = torch.call {target = "package::pair"} : tensor<f32>, tensor<2xi64>
  return %y
}
