// What is stated about a call of PyTorch fits together.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 [types-not-stated] {{the types of the results of `torch.call` must be stated}}
  %y = torch.call %x {parameters = ["self"], target = "aten::erf"}
  return %y
}
// -----
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 [attribute-value] {{attribute `target` of `torch.call`: `erf` is no schema name such as `aten::add.Tensor`}}
  %y = torch.call %x {parameters = ["self"], target = "erf"} : tensor<4xf32>
  return %y
}
// -----
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 [attribute-value] {{attribute `parameters` of `torch.call`: it names 1, and there are 1 operands and 1 arguments}}
  %y = torch.call %x {arguments = [1], parameters = ["self"], target = "aten::erf"} : tensor<4xf32>
  return %y
}
// -----
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 [attribute-value] {{attribute `parameters` of `torch.call`: `self` is given twice}}
  %y = torch.call %x, %x {parameters = ["self", "self[0]"], target = "aten::erf"} : tensor<4xf32>
  return %y
}
// -----
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 [attribute-value] {{attribute `parameters` of `torch.call`: `a-b` is no name of a parameter}}
  %y = torch.call %x {parameters = ["a-b"], target = "aten::erf"} : tensor<4xf32>
  return %y
}
// -----
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 [attribute-value] {{attribute `arguments` of `torch.call`: item 0 is not a number, bool, string, dtype, list of numbers or bools, nor `none`}}
  %y = torch.call %x {arguments = [@g], parameters = ["self", "a"], target = "aten::erf"} : tensor<4xf32>
  return %y
}
// -----
func @f(%x: tensor<4xc64>) -> tensor<4xc64> {
  // expected-error@+1 [complex-numbers] {{operand `x` of `relu` is complex}}
  %y = relu %x : tensor<4xc64>
  return %y
}
// -----
func @f(%x: tensor<4xf32>) {
  // expected-error@+1 [complex-numbers] {{attribute `dtype` of `cast` is complex}}
  %y = cast %x {dtype = c64}
  return
}
// -----
func @f() {
  // expected-error@+1 [complex-elements] {{a constant has complex elements}}
  %y = constant {value = dense<1.0> : tensor<2xc64>}
  return
}
// -----
// expected-error@+1 [complex-elements] {{a buffer has complex elements}}
func @f(%x: buffer<4xc128, argument>) {
  return
}
// -----
func @f(%x: tensor<4xf32>) {
  // expected-error@+1 [result-not-tensor] {{a result of `torch.call` is f32, expected a tensor}}
  %y = torch.call %x {parameters = ["self"], target = "aten::item"} : f32
  return
}
