// Sorting takes n log n: what the formula says by counting would take minutes here.
// RUN: bash -c "ulimit -t 60; exec mlgc eval %s --input=iota" | FileCheck %s
// CHECK: s: i64
// CHECK-NEXT: 0
func @f(%x: tensor<300000xi32>) -> tensor<i64> {
  %down, %from = sort %x {dim = 0, descending = true}
  %up, %back = sort %down {dim = 0}
  %best, %where = topk %up {k = 300000, dim = 0, largest = false}
  %same = sub %best, %x
  %wide = cast %same {dtype = i64}
  %s = sum %wide
  return %s
}
