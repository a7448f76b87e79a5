// A run that ends in an error which both sides agree about is reported and left out.
// RUN: env MLGC_TORCH_PLUGIN=%wrong_plugin MLGC_WRONG_PLUGIN=refuses mlgc compare %s --finite > %t.out 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// CHECK: run-not-compared.mlir:[[#@LINE+6]]:8: warning: `@f` is not compared with plain values: reading `x` at index 7 of axis 0, which has size 2
// OUT: {{[1-9]}} refused by both
// OUT: {{[0-9]+}} runs ended in an error of the program
func @f(%x: tensor<2xf32>) -> tensor<1xf32> {
  %i = constant {value = dense<[7]> : tensor<1xi64>}
  %j = clone %i
  %y = gather %x, %j {dim = 0}
  return %y
}
