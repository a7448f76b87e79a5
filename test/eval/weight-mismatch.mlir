// REQUIRES: python-numpy
// A tensor of another type than declared.
// RUN: %python -c "import numpy, sys; numpy.savez(sys.argv[1], w=numpy.zeros(3, 'f'))" %t.npz
// RUN: %exits 1 mlgc eval %s --weights=%t.npz 2>&1 | FileCheck %s
// CHECK: weight-mismatch.mlir:[[#@LINE+2]]:3: error: `@w` is tensor<2xf32>, the file has 3xf32
module @m weights "missing.safetensors" {
  weight @w : tensor<2xf32>
  func @f() -> tensor<2xf32> {
    %y = read @w
    return %y
  }
}
