// The number becomes the value of the new size, which later ops use.
// RUN: mlgc eval %s --function=f --input=i64=3 | FileCheck %s
// RUN: mlgc eval %s --function=f --input=i64=0 | FileCheck %s --check-prefix=EMPTY
// RUN: %exits 1 mlgc eval %s --function=f --input=i64=5 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: %exits 1 mlgc eval %s --function=f --input=i64=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// CHECK: r: 3xi64
// CHECK-NEXT: [0, 1, 2]
// CHECK: m: 4xf32
// CHECK-NEXT: [1.0, 1.0, 1.0, 1.0]
// EMPTY: r: 0xi64
// EMPTY: m: 1xf32
// EMPTY-NEXT: [1.0]
// BOUND: range.mlir:[[#@LINE+4]]:8: error: these inputs break `where u <= 4`: u is 5
// NEGATIVE: range.mlir:[[#@LINE+3]]:8: error: `range` is given -1, which can be no size
// NEGATIVE: range.mlir:[[#@LINE+2]]:8: note: pass an integer that is 0 or more
func @f(%n: tensor<i64>) -> (tensor<[u]xi64>, tensor<[u + 1]xf32>) {
  %r = range %n : tensor<[u]xi64> where u <= 4
  %m = full {size = [u + 1], value = 1.0, dtype = f32}
  return %r, %m
}
