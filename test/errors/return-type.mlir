// A returned value has another type.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
// CHECK: return-type.mlir:[[#@LINE+3]]:3: error: returned value 0 is tensor<4xf32>, the signature says tensor<4xi64>
// CHECK: return-type.mlir:[[#@LINE+1]]:6: note: the signature is here
func @f(%x: tensor<4xf32>) -> tensor<4xi64> {
  return %x
}
