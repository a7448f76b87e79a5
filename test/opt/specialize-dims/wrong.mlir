// Sizes that are none, or that the function excludes; nothing is printed.
// RUN: %exits 2 mlgc opt %s --dim=Row=8 -o %t.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: mlgc: error: no argument has a size `Row`
// UNKNOWN-NEXT: mlgc: note: did you mean `Rows`?
// UNKNOWN-NEXT: mlgc: note: known names: B, Rows, S
// RUN: %exits 2 mlgc opt %s --dim=N=8 2>&1 | FileCheck %s --check-prefix=COMPUTED
// COMPUTED: mlgc: error: no argument has a size `N`
// RUN: %exits 1 mlgc opt %s --dim=B=65 -o %t.mlir 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: wrong.mlir:[[#@LINE+20]]:1: error: B = 65 contradicts `1 <= B <= 64` of `@f`
// RUN: %exits 1 mlgc opt %s --dim=B=8 --dim=S=3 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: B = 8, S = 3 contradicts `S == 2*B` of `@f`
// RUN: %exits 1 mlgc opt %s --dim=S=3 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: S = 3 contradicts `S == 2*B` of `@f`
// RUN: %exits 1 mlgc opt %s --dim=B=2 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: wrong.mlir:[[#@LINE+14]]:1: error: B = 2: there is no `[B - 4]` of that size in `@f`
// RUN: %exits 1 mlgc opt %s --specialize-dims=dims=Rows=4611686018427387904 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: Rows = 4611686018427387904: there is no `tensor<[Rows]xf32>` of that size in `@g`
// RUN: %exits 2 mlgc opt %s --dim=B=x 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: mlgc: error: --dim=B=x: `x` is not a size
// RUN: %exits 2 mlgc opt %s --dim=B=8 --dim=B=9 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: mlgc: error: --dim=B=9: the size is given twice
// RUN: %exits 2 mlgc opt %s --pass-pipeline='specialize-dims{dims=B=8,B=9}' 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: mlgc: error: option `dims` of pass `specialize-dims`: `B` is given twice, with other numbers
// RUN: %exits 2 mlgc opt %s --pass-pipeline='specialize-dims{dims=B}' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: mlgc: error: option `dims` of pass `specialize-dims`: `B` is not a size and its number, as B=8
// RUN: %exits 2 mlgc opt %samples/loop_nest.mlir --dim=B=2 2>&1 | FileCheck %s --check-prefix=LOOPS
// LOOPS: loop_nest.mlir:{{.*}}: error: pass `specialize-dims` works on graph, fused, but the module is at loops there
// RUN: not ls %t.mlir
func @f(%x: tensor<[B]xf32>, %y: tensor<[S]xf32>, %z: tensor<[B - 4]xf32>) -> tensor<[N]x1xi64> where 1 <= B <= 64, S == 2*B {
  %a = nonzero %x : tensor<[N]x1xi64>
  return %a
}
func @g(%x: tensor<[Rows]xf32>) -> tensor<[Rows]xf32> {
  return %x
}
