// REQUIRES: python-numpy
// A file of another element type, rank or extent than the argument.
// RUN: %python -c "import numpy, sys; numpy.savez(sys.argv[1], x=numpy.zeros((2, 2)))" %t.npz
// RUN: %exits 1 mlgc eval %s --input=@%t.npz 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: mlgc: error: argument `x` is tensor<[B]x2xf32>, the value given is 2x2xf64
// RUN: %python -c "import numpy, sys; numpy.savez(sys.argv[1], x=numpy.zeros(2, 'f'))" %t.npz
// RUN: %exits 1 mlgc eval %s --input=@%t.npz 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: mlgc: error: argument `x` is tensor<[B]x2xf32>, the value given is 2xf32
// RUN: %python -c "import numpy, sys; numpy.save(sys.argv[1], numpy.array(['a', 'b']))" %t.npy
// RUN: %exits 1 mlgc eval %s --input=x=@%t.npy 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: mlgc: error: {{[^ ]*}}.tmp.npy: byte 10: holds elements of type '<U1', expected one of b1 i1 u1 i2 i4 i8 f2 f4 f8 c8 c16 after '<', '>', '=' or '|'
func @f(%x: tensor<[B]x2xf32>) -> tensor<[B]x2xf32> {
  return %x
}
