// What is wrong with a size that a flag gives.
// Too large for any tensor: exit code 3. No size at all: 2. More than the memory there is: 5. Not the model's: 1.
// RUN: %exits 3 mlgc eval %s --function=f --dim=B=99999999999999999999 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: mlgc: error: `--dim=B=99999999999999999999`: `99999999999999999999` is larger than any size: at most 2^63 - 1
// LARGE-NEXT: mlgc: note: give smaller sizes: a tensor has at most 2^63 - 1 bytes
// RUN: %exits 2 mlgc eval %s --function=f --dim=B=-3 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: mlgc: error: --dim=B=-3: `-3` is negative; a size is 0 or more
// RUN: %exits 3 mlgc eval %s --function=f --input=x=99999999999999999999x4xf32=rand 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: mlgc: error: `--input=x=99999999999999999999x4xf32=rand`: the size `99999999999999999999` is larger than any: at most 2^63 - 1
// RUN: %exits 3 mlgc eval %s --function=f --input=x=99999999999x99999999999xf32 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: mlgc: error: `--input=x=99999999999x99999999999xf32`: shape 99999999999x99999999999xf32 has more bytes than 2^63 - 1
// RUN: %exits 3 mlgc eval %s --function=f --dim=B=4611686018427387904 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=FOLLOWS
// RUN: %exits 3 mlgc bench %s --function=f --dim=B=4611686018427387904 2>&1 | FileCheck %s --check-prefix=FOLLOWS
// RUN: %exits 3 mlgc eval %s --function=f --dim=B=4611686018427387904 --random-inputs=1 --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: "kind":"size-too-large"
// FOLLOWS: mlgc: error: `x`: shape 4611686018427387904x4xf32 has more bytes than 2^63 - 1
// RUN: %exits 3 mlgc eval %s --function=g --dim=N=9999999999999 --random-inputs=1 2>&1 | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: mlgc: error: the size [N*N] of `x` is larger than any: at most 2^63 - 1
// RUN: %exits 5 mlgc eval %s --function=f --input=x=1000000000000x4xf32=rand 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: mlgc: error: not enough memory for `x`, 1000000000000x4xf32
// RUN: %exits 2 mlgc eval %s --function=f --input=x=-3x4xf32=rand 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: mlgc: error: `--input=x=-3x4xf32=rand`: the size -3 is negative
// RUN: %exits 1 mlgc eval %s --function=f --input=x=3x5xf32=rand 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: mlgc: error: argument `x` is tensor<[B]x4xf32>, the value given is 3x5xf32
func @f(%x: tensor<[B]x4xf32>) -> tensor<[B]x4xf32> {
  %0 = relu %x
  return %0
}
func @g(%x: tensor<[N*N]x4xf32>, %y: tensor<[N]x0xi8>) -> tensor<[N*N]x4xf32> {
  %0 = relu %x
  return %0
}
