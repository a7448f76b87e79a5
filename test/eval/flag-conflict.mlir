// Weights come from a file or are made up.
// RUN: %exits 2 mlgc eval %s --weights=a.npz --random-weights=1 2>&1 | FileCheck %s
// CHECK: mlgc: error: `--weights` and `--random-weights` exclude each other
module @m weights "missing.safetensors" {
  weight @w : tensor<2xf32>
  func @f() -> tensor<2xf32> {
    %y = read @w
    return %y
  }
}
