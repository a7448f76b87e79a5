// REQUIRES: python-numpy
// A weight that the file lacks is reported at its declaration.
// RUN: %python -c "import numpy, sys; numpy.savez(sys.argv[1], v=numpy.zeros(2, 'f'))" %t.npz
// RUN: %exits 1 mlgc eval %s --weights=%t.npz 2>&1 | FileCheck %s
// CHECK: weight-missing.mlir:[[#@LINE+2]]:3: error: `@w` is not in the weights `{{[^ ]*}}.tmp.npz`
module @m weights "missing.safetensors" {
  weight @w : tensor<2xf32>
  func @f() -> tensor<2xf32> {
    %y = read @w
    return %y
  }
}
