// What a table has no form for, at the first, with counts.
// REQUIRES: libtorch
// RUN: %exits 3 mlgc export %s --to=fx-tabular 2>&1 | FileCheck %s
// RUN: %exits 3 mlgc export %samples/scan.mlir --to=torchscript 2>&1 | FileCheck %s --check-prefix=SCAN
// CHECK: lacking-control-flow.mlir:[[#@LINE+4]]:8: error: `fx-tabular` has no form for 2 of the ops: 1 if, 1 while
// CHECK-NEXT:   %b = if %on {
// SCAN: scan.mlir:4:13: error: `torchscript` has no form for 1 of the ops: 1 scan
func @main(%a: tensor<f32>, %on: tensor<i1>) -> tensor<f32> {
  %b = if %on {
    %0 = mul %a {other = 0.5}
    yield %0
  } else {
    yield %a
  } : tensor<f32>
  %last = while (%c = %b) {
    %go = gt %c {other = 0.1}
    condition %go, %c
  } do (%d: tensor<f32>) {
    %0 = mul %d {other = 0.5}
    yield %0
  }
  return %last
}
