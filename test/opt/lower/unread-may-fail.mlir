// What nobody reads is not computed, unless it may fail: the call ends then as it does in the interpreter.
// RUN: mlgc opt %s --pass-pipeline=fuse,lower-to-loops | FileCheck %s
// RUN: %exits 1 mlgc eval %s -O2 --backend=cpp --input=x=8xf32=1 --input=p=8xi64=9 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: mlgc eval %s -O2 --backend=cpp --input=x=8xf32=1 --input=p=8xi64=3
// CHECK: store {{.*}} {checked = true}
// FAILS: mlgc: error: `main`: writing `t` at index 9 of axis 0, which has size 4
func @main(%x: tensor<8xf32>, %p: tensor<8xi64>) -> tensor<8xf32> {
  %b = compute %x, %p {formula = "t[x1[i]] = x0[i] from zeros[4]; y[i] = x0[i]*2"} : tensor<8xf32>
  return %b
}
