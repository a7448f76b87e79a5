// One error names what the notation lacks, and nothing is written.
// REQUIRES: libtorch
// RUN: rm -f %t.py && %exits 3 mlgc export %s --to=fx-code -o %t.py 2>&1 | FileCheck %s
// RUN: test ! -e %t.py
// CHECK: not-expressible.mlir:[[#@LINE+6]]:8: error: `fx-code` has no form for 3 of the ops: 2 uniform (PyTorch draws other numbers from the same seed; `philox` in its formula has none either), 1 randint (PyTorch draws other numbers from the same seed; `philox` in its formula has none either)
// CHECK-NEXT:   %a = uniform %key {size = [4]}
// CHECK-NEXT:        ^
// CHECK-NOT: error
// CHECK-NOT: note
func @noise(%key: tensor<2xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi64>) {
  %a = uniform %key {size = [4]}
  %b = uniform %key {size = [4]}
  %c = randint %key {high = 9, low = 0, size = [4]}
  return %a, %b, %c
}
