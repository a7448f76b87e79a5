// A negative index counts from the end; one that is too negative is reported as it was given.
// RUN: mlgc eval %s --input=x=iota --input=i=[-4] | FileCheck %s --check-prefix=LAST
// LAST: result0: 1xf32
// LAST-NEXT: [0.0]
// RUN: %exits 1 mlgc eval %s --input=x=iota --input=i=[-5] 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: reading `x` at index -5 of axis 0, which has size 4
func @f(%x: tensor<4xf32>, %i: tensor<1xi64>) -> tensor<1xf32> {
  %0 = index %x, %i {positions = [0]}
  return %0
}
