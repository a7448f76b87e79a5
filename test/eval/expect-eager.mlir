// REQUIRES: python-numpy
// A reference in f64 judges the results, which may be as wrong as twice what the f32 results beside it are wrong by.
// RUN: sed -e 's/f32/f64/g' %s > %t.f64.mlir
// RUN: mlgc eval %t.f64.mlir --input=x=1,3 --output=@%t.judge.npz
// RUN: sed -e 's/add %a, %a/mul %a {other = 2.000003}/' %s > %t.off.mlir
// RUN: mlgc eval %t.off.mlir --input=x=1,3 --output=@%t.off.npz
// RUN: %python -c "import numpy, sys; numpy.savez(sys.argv[3], y=numpy.load(sys.argv[1])['y'], **{'y.eager': numpy.load(sys.argv[2])['y']})" %t.judge.npz %t.off.npz %t.both.npz
// RUN: mlgc eval %s --input=x=1,3 --expect=@%t.judge.npz | FileCheck %s --check-prefix=ALONE
// RUN: %exits 4 mlgc eval %t.off.mlir --input=x=1,3 --expect=@%t.judge.npz 2>&1 | FileCheck %s
// RUN: mlgc eval %t.off.mlir --input=x=1,3 --expect=@%t.both.npz | FileCheck %s --check-prefix=EAGER
// ALONE-NOT: eager
// CHECK: mlgc: error: 1 of 1 results do not agree with `{{[^ ]*}}.judge.npz`
// EAGER: eager's largest error is
func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = mul %x, %x
  %y = add %a, %a
  return %y
}
