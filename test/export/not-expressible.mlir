// One error names what the notation lacks, and nothing is written.
// REQUIRES: libtorch
// RUN: rm -f %t.py && %exits 3 mlgc export %s --to=fx-code -o %t.py 2>&1 | FileCheck %s
// RUN: test ! -e %t.py
// CHECK: not-expressible.mlir:[[#@LINE+6]]:8: error: `fx-code` has no form for 2 of the ops: 2 compute (its formula is an attribute; its formula writes elements several times)
// CHECK-NEXT:   %a = compute %x, %at {formula = "y[x1[i]] max= x0[i] from zeros[4]"} : tensor<4xf32>
// CHECK-NEXT:        ^
// CHECK-NOT: error
// CHECK-NOT: note
func @most(%x: tensor<4xf32>, %at: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = compute %x, %at {formula = "y[x1[i]] max= x0[i] from zeros[4]"} : tensor<4xf32>
  %b = compute %a, %at {formula = "y[x1[i]] *= x0[i] from zeros[4]"} : tensor<4xf32>
  return %a, %b
}
