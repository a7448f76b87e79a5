// Bits are those of f32 and f64.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
func @f(%a: buffer<8xf16, argument>, %y: buffer<8xi32, argument>) {
  for [0, 8] (%i: index) {
    %0 = load %a[%i]
    // CHECK: error: `bits` is not defined on f16
    %1 = bits %0
    store %1, %y[%i]
  }
  return
}
