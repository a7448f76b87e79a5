// The rules that move regions: an `if` whose condition is known, and one whose arms yield the same.
// RUN: mlgc opt %s --canonicalize --statistics 2>%t.statistics | FileCheck %s
// RUN: FileCheck %s --check-prefix=RULES < %t.statistics
// RULES-DAG: rule if-constant: 1
// RULES-DAG: rule if-same: 1
// CHECK-LABEL: func @constant
// CHECK-NEXT: %[[A:.*]] = tanh %x
// CHECK-NEXT: return %[[A]]
func @constant(%x: tensor<4xf32>) -> tensor<4xf32> {
  %k = constant {value = dense<false> : tensor<i1>} : tensor<i1>
  %a = if %k {
    %b = exp %x
    yield %b
  } else {
    %b = tanh %x
    yield %b
  } : tensor<4xf32>
  return %a
}
// CHECK-LABEL: func @same
// CHECK-NEXT: return %x
func @same(%x: tensor<4xf32>, %k: tensor<i1>) -> tensor<4xf32> {
  %a = if %k {
    yield %x
  } else {
    yield %x
  } : tensor<4xf32>
  return %a
}
