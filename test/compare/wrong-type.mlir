// A result of another type is an error, whatever its numbers are.
// RUN: %exits 4 env MLGC_TORCH_PLUGIN=%wrong_plugin MLGC_WRONG_PLUGIN=zeros mlgc compare %s --finite > %t.out 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// CHECK: wrong-type.mlir:[[#@LINE+4]]:8: error: `isnan` differs from `aten::isnan` in result 0: the type is 2x2xi1, PyTorch's is 2x2xf32
// CHECK: wrong-type.mlir:[[#@LINE+4]]:8: error: `diagonal` differs from `aten::diagonal` in result 0: the type is 2xf32, PyTorch's is 2x2xf32
// OUT: 0 agree, {{[1-9][0-9]*}} differ, 0 differ as known
func @f(%x: tensor<2x2xf32>) -> (tensor<2x2xi1>, tensor<2xf32>) {
  %y = isnan %x
  %z = diagonal %x
  return %y, %z
}
