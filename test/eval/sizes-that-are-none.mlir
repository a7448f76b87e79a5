// What is wrong with a size that a flag gives.
// RUN: %exits 2 mlgc eval %s --dim=B=99999999999999999999 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: mlgc: error: --dim=B=99999999999999999999: `99999999999999999999` is larger than any size: at most 2^63 - 1
// RUN: %exits 2 mlgc eval %s --dim=B=-3 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: mlgc: error: --dim=B=-3: `-3` is negative; a size is 0 or more
// RUN: %exits 2 mlgc eval %s --input=x=99999999999999999999x4xf32=rand 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: the size `99999999999999999999` is larger than any: at most 2^63 - 1
func @f(%x: tensor<[B]x4xf32>) -> tensor<[B]x4xf32> {
  %0 = relu %x
  return %0
}
