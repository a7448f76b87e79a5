// The rules behind a value, the last one first, and the places it comes from.
// RUN: mlgc opt %s --canonicalize --rules=fuse-elementwise --explain=%d --explain=%e -o /dev/null 2>&1 | FileCheck %s
// RUN: %exits 2 mlgc opt %s --explain=e 2>&1 | FileCheck %s --check-prefix=QUESTION
// CHECK: %d is sub, made
// CHECK-NEXT: by rule add-neg from
// CHECK-NEXT: explain.mlir:[[#@LINE+8]]:8
// CHECK-NEXT: explain.mlir:[[#@LINE+6]]:8
// CHECK: %e is fusion, made
// CHECK-NEXT: by rule elementwise-chain from
// CHECK-NEXT: by rule add-neg from
// QUESTION: error: `--explain` takes %VALUE, not `e`
func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %n = neg %y
  %d = add %n, %x
  %e = tanh %d
  return %e
}
