// One rounding for a product and a sum is for scalars of f32 only.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
func @f(%a: buffer<8xf32, argument>, %d: buffer<8xf64, argument>, %y: buffer<8xf64, argument>) {
  for [0, 8] (%i: index) {
    %0 = load %a[%i]
    %1 = load %d[%i]
    // CHECK: error: `fma` is not defined on f64
    %2 = fma %1, %1, %1
    store %2, %y[%i]
  }
  return
}
