// Lanes of a reduction take in products, and come together by sums: the carried value is what is added.
// RUN: %exits 1 mlgc opt %s 2>&1 | FileCheck %s
func @f(%a: buffer<8xf32, argument>, %y: buffer<f32, argument>) {
  %zero = literal {dtype = f32, value = 0.0}
  // CHECK: error: carried value 0 of the vector loop is not reduced by `add`: `fma` multiplies the carried value
  %s = for [0, 8] (%i: index, %c = %zero) attributes {combine = ["add"], kind = "vector", lanes = 4} {
    %0 = load %a[%i]
    %1 = fma %c, %0, %0
    yield %1
  }
  store %s, %y[]
  return
}
