// Loops of graph functions, and what they say about their index.
// RUN: mlgc eval %s --function=triangle --input=n=0 | FileCheck %s
// RUN: mlgc opt %s --simplify-control-flow=unroll=3 | mlgc eval - --function=triangle --input=n=0 | FileCheck %s
// RUN: %exits 1 mlgc eval %s --function=checked --input=n=0 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECK: i64
// CHECK-NEXT: 30
// CHECKED: for.mlir:[[#@LINE+20]]:5: error: the third turn
func @triangle(%n: tensor<i64>) -> tensor<i64> {
  %r = for [0, 3] (%k: index, %c = %n) {
    %t = for [0, %k] (%j: index, %d = %c) {
      %g = guard [%k - 2, %j - 1]
      %p = apply [10*%k + %j]
      %s = if %g {
        yield %d
      } else {
        %sum = add %d, %p
        yield %sum
      } : tensor<i64>
      yield %s
    }
    yield %t
  }
  return %r
}
func @checked(%n: tensor<i64>) -> tensor<i64> {
  %r = for [0, 3] (%k: index, %c = %n) {
    check [1 - %k] {message = "the third turn"}
    yield %c
  }
  return %r
}
