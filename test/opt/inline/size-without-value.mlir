// A size that only the text of a formula names, and nothing tells, stays apart from the caller's sizes: the program fails
// as it failed before.
// RUN: mlgc opt %s --inline -o %t
// RUN: FileCheck %s < %t
// CHECK: func @f(%q: tensor<[Q]xf64>, %b: tensor<f64>)
// CHECK-NEXT: %y = compute %b {formula = "y[] = x0[] / (Q_1) over"} : tensor<f64>
// RUN: %exits 1 mlgc eval %s --function=f --input=q=2xf64=1,2 --input=b=8 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: size-without-value.mlir:[[#@LINE+6]]:8: error: the size `Q` has no value
// BEFORE: note: a symbol gets its value from an input that has it as a dimension of its own
// RUN: %exits 1 mlgc eval %t --function=f --input=q=2xf64=1,2 --input=b=8 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: error: the size `Q_1` has no value
// AFTER: note: a symbol gets its value from an input that has it as a dimension of its own
func @share(%s: tensor<f64>) -> tensor<f64> {
  %y = compute %s {formula = "y[] = x0[] / real(Q) over"} : tensor<f64>
  return %y
}
func @f(%q: tensor<[Q]xf64>, %b: tensor<f64>) -> tensor<f64> {
  %y = call @share, %b
  return %y
}
