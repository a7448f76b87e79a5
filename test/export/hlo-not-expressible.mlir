// One error names what HLO and StableHLO lack, with the number of its uses.
// RUN: %exits 3 mlgc export %s --to=hlo 2>&1 | FileCheck %s
// RUN: %exits 3 mlgc export %s --to=stablehlo 2>&1 | FileCheck %s --check-prefix=STABLEHLO
// CHECK: hlo-not-expressible.mlir:[[#@LINE+6]]:8: error: `hlo` has no form for 2 of the ops: 2 nonzero (its shape depends on data)
// CHECK-NEXT:   %a = nonzero %n : tensor<[k]x1xi64> where k <= 4
// CHECK-NEXT:        ^
// CHECK-NOT: error
// STABLEHLO: hlo-not-expressible.mlir:[[#@LINE+2]]:8: error: `stablehlo` has no form for 2 of the ops: 2 nonzero (its shape depends on data)
func @f(%n: tensor<4xi64>) -> (tensor<[k]x1xi64>, tensor<[l]x1xi64>) {
  %a = nonzero %n : tensor<[k]x1xi64> where k <= 4
  %b = nonzero %n : tensor<[l]x1xi64> where l <= 4
  return %a, %b
}
