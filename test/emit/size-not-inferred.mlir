// A size that the shapes of inputs do not tell.
// RUN: %exits 3 mlgc emit %s 2>&1 | FileCheck %s
module {
// CHECK: size-not-inferred.mlir:[[@LINE+1]]:1: error: the size `B` of `@forward` cannot be inferred from the shapes of its inputs: the dim `B*S` is no multiple of it and a constant
func @forward(%x: tensor<[B*S]xf32>, %y: tensor<[S + 1]xf32>) -> tensor<[B*S]xf32> {
  %z = add %x, %x : tensor<[B*S]xf32>
  return %z
}
}
