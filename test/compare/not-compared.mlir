// A function without feasible inputs is reported and left out.
// RUN: env MLGC_TORCH_PLUGIN=%wrong_plugin mlgc compare %s > %t.out 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// CHECK: not-compared.mlir:[[#@LINE+3]]:3: warning: `@f` is not compared: no sizes that satisfy its `where` clause were found
// OUT: 1 function not run: no inputs were found
module {
  func @f(%x: tensor<[B]xf32>) -> tensor<[B]xf32> where B*B mod 4 == 3 {
    return %x
  }
}
