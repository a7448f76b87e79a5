// Where the type says that there is nothing, no place is found, in every form.
// RUN: mlgc eval %s --input=x=0x3xf32=rand --backend=cpp --compare=interp | FileCheck %s
// CHECK: p by cpp: agrees
// CHECK-NEXT: type {{ *}}0x2xi64
// RUN: mlgc opt %s -O2 --to=plan | mlgc eval --input=x=0x3xf32=rand | FileCheck %s --check-prefix=LOOPS
// LOOPS: p: 0x2xi64
func @f(%x: tensor<0x3xf32>) -> tensor<[h]x2xi64> {
  %p = nonzero %x : tensor<[h]x2xi64>
  return %p
}
