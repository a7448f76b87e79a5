// REQUIRES: libtorch
// A call that fails is located, with what LibTorch says.
// RUN: %exits 3 env MLGC_TORCH_PLUGIN=/nowhere/plugin.so mlgc eval %s --function=unknown --input=1,2 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: torch-call-refused.mlir:{{[0-9]+}}:8: error: the LibTorch plug-in cannot be used: /nowhere/plugin.so: there is no such file
// RUN: %exits 3 mlgc eval %s --function=unknown --input=1,2 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: torch-call-refused.mlir:{{[0-9]+}}:8: error: in LibTorch {{[0-9.]+}} there is no operator `package::own`
// UNKNOWN: note: operators that a Python package registers are there in Python only
// RUN: %exits 1 mlgc eval %s --function=shape --input=1,2 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: torch-call-refused.mlir:{{[0-9]+}}:8: error: result 0 of `torch.call` has shape [2], its type is tensor<3xf32>
// RUN: %exits 1 mlgc eval %s --function=dtype --input=1,2 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: error: the call of `aten::erf` fails: result 0 is f32, stated is f64
// RUN: %exits 1 mlgc eval %s --function=parameter --input=1,2 2>&1 | FileCheck %s --check-prefix=PARAMETER
// PARAMETER: error: the call of `aten::erf` fails: it has no parameter `p`
// RUN: %exits 1 mlgc eval %s --function=count --input=1,2 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: the call of `aten::erf` fails: it gives 1 results, not 2
// RUN: %exits 3 mlgc eval %s --function=mutates --input=1,2 2>&1 | FileCheck %s --check-prefix=MUTATES
// MUTATES: torch-call-refused.mlir:{{[0-9]+}}:8: error: `aten::zero_` cannot be called: it changes its operands
// RUN: %exits 3 mlgc eval %s --function=draws --input=1,2 2>&1 | FileCheck %s --check-prefix=DRAWS
// DRAWS: torch-call-refused.mlir:{{[0-9]+}}:8: error: `aten::dropout` cannot be called: it samples a random generator of its own
// What drops out draws only while it trains.
// RUN: mlgc eval %s --function=drops_nothing --input=1,2 | FileCheck %s --check-prefix=DROPS
// DROPS: y: 2xf32
func @mutates(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = torch.call %x {target = "aten::zero_", parameters = ["self"]} : tensor<2xf32>
  return %y
}
func @draws(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = torch.call %x {target = "aten::dropout", parameters = ["input", "p", "train"], arguments = [0.5, true]} : tensor<2xf32>
  return %y
}
func @drops_nothing(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = torch.call %x {target = "aten::dropout", parameters = ["input", "p", "train"], arguments = [0.5, false]} : tensor<2xf32>
  return %y
}
func @unknown(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = torch.call %x {target = "package::own", parameters = ["self"]} : tensor<2xf32>
  return %y
}
func @shape(%x: tensor<2xf32>) -> tensor<3xf32> {
  %y = torch.call %x {target = "aten::erf", parameters = ["self"]} : tensor<3xf32>
  return %y
}
func @dtype(%x: tensor<2xf32>) -> tensor<2xf64> {
  %y = torch.call %x {target = "aten::erf", parameters = ["self"]} : tensor<2xf64>
  return %y
}
func @parameter(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = torch.call %x {target = "aten::erf", parameters = ["self", "p"], arguments = [2]} : tensor<2xf32>
  return %y
}
func @count(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y, %z = torch.call %x {target = "aten::erf", parameters = ["self"]} : tensor<2xf32>, tensor<2xf32>
  return %y
}
