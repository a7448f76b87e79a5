// A temporary of more bytes than a number has.
// RUN: %exits 3 mlgc emit %s -O0 2>&1 | FileCheck %s
// CHECK: too-large.mlir:[[@LINE+1]]:1: error: source cannot be emitted for `@f`, which wants a buffer of more than 2^63 bytes
func @f(%x: tensor<4000000000x1xf32>, %y: tensor<1x4000000000xf32>) -> tensor<4000000000xf32> {
  %z = matmul %x, %y : tensor<4000000000x4000000000xf32>
  %s = cumsum %z {dim = 0} : tensor<4000000000x4000000000xf32>
  %m = sum %s {dim = [0]} : tensor<4000000000xf32>
  return %m
}
