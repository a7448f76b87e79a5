// An output whose size only a call knows is lent, and given back before the next call, in the process and by ctypes.
// REQUIRES: python-torch
// RUN: mlgc bench %s --python=%python --backends=cpp,cpp-ctypes,interp --min-time=0.01 > %t
// RUN: FileCheck %s < %t
// CHECK: cpp {{.*}} -
// CHECK-NEXT: cpp-ctypes {{.*}} 0.0e+00
// CHECK-NEXT: interp {{.*}} 0.0e+00
// CHECK-NOT: differ
func @f(%x: tensor<50x40xf32>) -> tensor<[h]x2xi64> {
  %p = nonzero %x : tensor<[h]x2xi64>
  return %p
}
