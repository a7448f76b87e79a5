// A size that stands in `where` alone is told by no input.
// RUN: %exits 3 mlgc emit %s 2>&1 | FileCheck %s
// CHECK: size-in-where.mlir:[[@LINE+1]]:1: error: source cannot be emitted for `@f`: its size `N` cannot be inferred from the shapes of its inputs
func @f(%x: tensor<[B]xf32>) -> tensor<[B]xf32> where B <= N {
  %y = exp %x : tensor<[B]xf32>
  return %y
}
