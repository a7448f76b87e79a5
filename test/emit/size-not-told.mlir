// A size that the shapes of inputs do not tell.
// RUN: %exits 3 mlgc emit %s 2>&1 | FileCheck %s
module {
// CHECK: size-not-told.mlir:[[@LINE+1]]:1: error: source cannot be emitted for `@forward`: no input's shape tells its size `B`
func @forward(%x: tensor<[B*S]xf32>, %y: tensor<[S + 1]xf32>) -> tensor<[B*S]xf32> {
  %z = add %x, %x : tensor<[B*S]xf32>
  return %z
}
}
