// One error names what HLO lacks, with the number of its uses; StableHLO has it in CHLO.
// RUN: %exits 3 mlgc export %s --to=hlo 2>&1 | FileCheck %s
// RUN: %exits 3 mlgc export %s --to=stablehlo 2>&1 | FileCheck %s --check-prefix=STABLEHLO
// CHECK: hlo-not-expressible.mlir:[[#@LINE+7]]:8: error: `hlo` has no form for 4 of the ops: 2 lgamma (`lgamma` in its formula has no operation), 1 gcd (`gcd` in its formula has no operation), 1 nonzero (its shape depends on data)
// CHECK-NEXT:   %a = lgamma %x
// CHECK-NEXT:        ^
// CHECK-NOT: error
// STABLEHLO: hlo-not-expressible.mlir:[[#@LINE+5]]:8: error: `stablehlo` has no form for 2 of the ops: 1 gcd (`gcd` in its formula has no operation), 1 nonzero (its shape depends on data)
// STABLEHLO-NEXT:   %c = gcd %n {other = 6}
func @f(%x: tensor<4xf32>, %n: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xi64>, tensor<[k]x1xi64>) {
  %a = lgamma %x
  %b = lgamma %a
  %c = gcd %n {other = 6}
  %d = nonzero %n : tensor<[k]x1xi64> where k <= 4
  return %b, %c, %d
}
