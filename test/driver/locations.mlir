// --locations prints where ops come from; an op without its own location has its place in the text.
// RUN: mlgc opt %s --locations | FileCheck %s
func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: relu %x : tensor<4xf32> loc("model.py":12:9)
  %a = relu %x loc("model.py":12:9)
  // CHECK: sin %a : tensor<4xf32> loc("{{.*}}locations.mlir":[[#@LINE+1]]:8)
  %b = sin %a
  return %b
}
