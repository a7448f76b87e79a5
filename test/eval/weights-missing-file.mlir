// The weight file that the module names is looked for beside the module.
// RUN: %exits 1 mlgc eval %s 2>&1 | FileCheck %s
// CHECK: mlgc: error: {{[^ ]*}}/eval/missing.safetensors: cannot open for reading: No such file or directory
module @m weights "missing.safetensors" {
  weight @w : tensor<2xf32>
  func @f() -> tensor<2xf32> {
    %y = read @w
    return %y
  }
}
