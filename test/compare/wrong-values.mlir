// What differs is named with its place, its operands and the inputs; exit code 4.
// RUN: %exits 4 env MLGC_TORCH_PLUGIN=%wrong_plugin MLGC_WRONG_PLUGIN=zeros mlgc compare %s --error-limit=1 > %t.out 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// CHECK: wrong-values.mlir:[[#@LINE+5]]:8: error: `exp` differs from `aten::exp` in result 0: 2 elements with an error above what is allowed; at [1] it is {{[^ ]+}}, PyTorch says 0.0
// CHECK: note: operands: 2xf32; with plain values
// OUT: 1 program, 4 runs of 1 function, 4 ops
// OUT: against PyTorch 0.0 of the tests: 0 agree, 4 differ, 0 differ as known, 0 refused by both, 0 refused by PyTorch only, 0 not compared; 1 row
func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = exp %x
  return %y
}
