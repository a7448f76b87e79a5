// A derived weight is computed once: not from what calls change.
// RUN: %exits 3 mlgc emit %s -O0 --random-weights=1 2>&1 | FileCheck %s
module {
weight @w : tensor<4xf32>
// CHECK: derived-from-state.mlir:[[@LINE+1]]:1: error: source cannot be emitted for the weight `@twice`, which is computed once, from `@w`, which calls change
weight @twice : tensor<4xf32> = {
  %w = read @w : tensor<4xf32>
  %t = add %w, %w : tensor<4xf32>
  yield %t
}
func @forward(%x: tensor<4xf32>) -> (tensor<4xf32>) updates (@w = %y) {
  %t = read @twice : tensor<4xf32>
  %y = mul %x, %t : tensor<4xf32>
  return %y, %y
}
}
