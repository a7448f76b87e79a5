// An op that is refused where PyTorch's computes: an error here.
// RUN: %exits 4 env MLGC_TORCH_PLUGIN=%wrong_plugin MLGC_WRONG_PLUGIN=zeros mlgc compare %s --finite 2>&1 | FileCheck %s
// CHECK: refused-here.mlir:[[#@LINE+4]]:8: error: `gather` is refused, and `aten::gather` computes it: reading `x` at index 7 of axis 0, which has size 2
func @f(%x: tensor<2xf32>) -> tensor<1xf32> {
  %i = constant {value = dense<[7]> : tensor<1xi64>}
  %j = clone %i
  %y = gather %x, %j {dim = 0}
  return %y
}
