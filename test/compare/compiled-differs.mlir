// Compiled too, and held against its loop text; a compiler that is wrong is found.
// REQUIRES: libtorch
// RUN: mlgc compare %s --backend=cpp | FileCheck %s
// CHECK: compiled: 1 functions, {{[0-9]+}} runs, 0 differ, 0 refused by both
// CHECK-NOT: not compiled
// RUN: %exits 4 env MLGC_CACHE=off CXX=%S/Inputs/wrong-compiler mlgc compare %s --backend=cpp 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: compiled-differs.mlir:[[@LINE+1]]:1: error: `@f` with B = 1, values with edges on 1 threads: compiled, result 0 [0] is {{[^ ]+}}, interpreted it is {{[^ ]+}}
func @f(%x: tensor<[B]xf32>, %y: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %z = add %x, %y : tensor<[B]xf32>
  return %z
}
