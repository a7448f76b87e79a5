// Every op without a lowering is reported, and nothing is lowered.
// RUN: %exits 3 mlgc opt %s --pass-pipeline='fuse,lower-to-loops' 2>&1 | FileCheck %s
// CHECK: not-lowered.mlir:[[@LINE+6]]:8: error: `scan` has no lowering to loops
// CHECK: note: inline calls and segments, unroll loops; `mlgc eval` runs what then has none
// CHECK: error: `nonzero` has no lowering to loops
// CHECK: error: `func` has no lowering to loops
func @f(%x: tensor<4x3xf32>, %h: tensor<3xf32>) -> (tensor<3xf32>, tensor<[u0]x1xi64>) {
  %s = add %h, %h
  %y = scan %s, %x (%c: tensor<3xf32>, %o: tensor<3xf32>) attributes {carried = 1} {
    yield %c
  }
  %n = nonzero %y : tensor<[u0]x1xi64>
  return %y, %n
}
func @g(%x: f32) -> f32 {
  return %x
}
