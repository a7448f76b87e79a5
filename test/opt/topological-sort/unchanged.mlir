// A region whose values are in order keeps it, also beside one that changes.
// RUN: mlgc opt %s > %t.mlir
// RUN: mlgc opt %s --topological-sort --statistics 2> %t.txt | cmp - %t.mlir
// RUN: FileCheck --check-prefix=SAME %s < %t.txt
// RUN: sed 's/neg %x/neg %b/' %s | mlgc opt - --topological-sort --statistics 2>&1 | FileCheck %s
// SAME: unchanged: topological-sort
// CHECK: ops-moved: 2
// CHECK: %b = exp %x : tensor<4xf32>
// CHECK-NEXT: %a = neg %b : tensor<4xf32>
// CHECK: %c = cos %x : tensor<4xf32>
// CHECK-NEXT: %d = sin %x : tensor<4xf32>
func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = neg %x
  %b = exp %x
  return %b, %a
}
func @g(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = cos %x
  %d = sin %x
  return %d, %c
}
