// The return gives what the signature says.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: return-count.mlir:[[#@LINE+3]]:3: error: 2 values are returned, the signature has 1 results and 0 updates
// CHECK: return-count.mlir:[[#@LINE+1]]:6: note: the signature is here
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x, %x
}
