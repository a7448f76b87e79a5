// ONNX Runtime as an engine: on results, and on every value where one parts.
// REQUIRES: python-onnxruntime
// RUN: mlgc compare %s --against=onnxruntime | FileCheck %s --match-full-lines
// RUN: mlgc compare %samples/residual_block.mlir --against=onnx,compiled --random-inputs=1 --dim=B=1 --dim=H=5 --dim=W=6 --random-weights=1 -O2 | FileCheck %s --check-prefix=PASSES --match-full-lines
// CHECK: onnxruntime, interp: 1 function, {{[0-9]+}} runs, {{[0-9]+}} values, all agree
// PASSES: onnxruntime, compiled: 1 function, 1 run, {{[0-9]+}} values, all agree
func @f(%x: tensor<[N]xf32>) -> tensor<[N]xf32> {
  %r = sin %x
  %y = exp %r
  return %y
}
