// The judge computes in f64 and gives f64.
// RUN: mlgc eval %s --input=x=1xf32=0.1 --precision=f64 | FileCheck %s
// RUN: mlgc eval %s --input=x=1xf32=0.1 | FileCheck %s --check-prefix=NATIVE
// CHECK: y: 1xf64
// NATIVE: y: 1xf32
func @f(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = exp %x
  return %y
}
