// What the notation of an engine has no form for is named.
// REQUIRES: python-onnxruntime
// RUN: %exits 3 mlgc compare %s --against=onnxruntime --random-inputs=1 2>&1 | FileCheck %s
// CHECK: error: `onnx` has no form for 1 of the ops: 1 compute (its formula writes some elements only)
func @f(%x: tensor<4xf32>, %at: tensor<4xi64>) -> tensor<4xf32> {
  %y = compute %x, %at {formula = "y[x1[i]] = x0[i] from zeros[4] if x0[i] > 0"} : tensor<4xf32>
  return %y
}
