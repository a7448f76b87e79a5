// A notation whose shapes are constants says which size has no value, and how to give one.
// RUN: %exits 3 mlgc export %s --to=stablehlo 2>&1 | FileCheck %s
// RUN: %exits 3 mlgc export %s --to=hlo 2>&1 | FileCheck %s --check-prefix=HLO
// RUN: %exits 3 mlgc export %s --to=stablehlo --dim=B=2 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: mlgc export %s --to=stablehlo --dim=B=2 --dim=S=3 | FileCheck %s --check-prefix=BOTH
// CHECK: symbolic-size.mlir:[[#@LINE+7]]:1: error: size `B` of `@f` cannot be written as `stablehlo`: its shapes are constants
// CHECK-NEXT: func @f(%x: tensor<[B]x[S]xf32>) -> tensor<[B]x[S]xf32> {
// CHECK-NEXT: ^
// CHECK-NEXT: symbolic-size.mlir:[[#@LINE+4]]:1: note: give the size a value: `--dim=B=8`
// HLO: error: size `B` of `@f` cannot be written as `hlo`: its shapes are constants
// OTHER: error: size `S` of `@f` cannot be written as `stablehlo`: its shapes are constants
// BOTH: func.func public @main(%x: tensor<2x3xf32> {mlgc.name = "x"})
func @f(%x: tensor<[B]x[S]xf32>) -> tensor<[B]x[S]xf32> {
  %y = relu %x
  return %y
}
