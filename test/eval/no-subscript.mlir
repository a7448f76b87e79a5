// With some sizes a subscript has no value.
// RUN: %exits 1 mlgc eval %s --input=x=3xf32=rand 2>&1 | FileCheck %s
// CHECK: no-subscript.mlir:[[#@LINE+3]]:8: error: a subscript divides by a size that is 0, or leaves 64 bits
// RUN: mlgc eval %s --input=x=5xf32=[1,2,3,4,5] | FileCheck %s --check-prefix=FIVE
func @f(%x: tensor<[B]xf32>) -> tensor<[B]xf32> {
  %y = compute %x {formula = "y[i] = x0[i // max(dim(x0, 0) - 3, 0)] where i = dim(x0, 0)"}
  return %y
}
// FIVE: [1.0, 1.0, 2.0, 2.0, 3.0]
