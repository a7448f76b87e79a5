// Places that are computed are numbers in the text where they follow from the lane alone, also by way of scratch, in
// tiles of it too: eight lanes that read from eight elements take a load and a shuffle, from sixteen two. Nothing tests
// what is known to lie inside. What data say, or another function than one that is rounded correctly, is not known.
// RUN: mlgc emit %s --target=cpp | FileCheck %s
// CHECK: static const int32_t x_places_near[16] = {0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 2, 3, 3};
// CHECK-NOT: mlgc_any_outside
// CHECK: mlgc_load_near<8, float, 8>(x + 16 * i, x_places
// CHECK: static const int32_t x_places_near_2[8] = {0, 2, 4, 6, -2147483648, -2147483646, -2147483644, -2147483642};
// CHECK: mlgc_load_near<16, float, 8>(x + 16 * i_2
// CHECK: if (mlgc_any_outside(
// CHECK: mlgc_load_at<float, 8>
// CHECK: if (mlgc_any_outside(
// RUN: mlgc eval %s --random-inputs=1 --input=at=16xi64=3,0,7,7,1,2,6,5,4,0,0,3,2,1,7,6 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// SAME: y by cpp: agrees
// SAME: z by cpp: agrees
// SAME: u by cpp: agrees
func @f(%x: buffer<4x16xf32, argument>, %at: buffer<16xi64, argument>, %y: buffer<4x16xf32, argument>, %z: buffer<4x8xf32, argument>, %u: buffer<4x16xf32, argument>) {
  %places = alloc : buffer<16xi64, arena>
  for [0, 2] (%o: index) {
    for [8*%o, 8*%o + 8] (%j: index) attributes {kind = "vector", lanes = 8} {
      %0 = apply [%j] : i64
      %1 = cast %0 {dtype = f64} : f64
      %2 = literal {dtype = f64, value = 0.5} : f64
      %3 = mul %1, %2
      %4 = floor %3
      %5 = cast %4 {dtype = i64} : i64
      store %5, %places[%j]
    }
  }
  for [0, 4] (%i: index) {
    for [0, 16] (%j: index) attributes {kind = "vector", lanes = 8} {
      %p = load %places[%j]
      %0 = load %x[%i, %p] {checked = true}
      store %0, %y[%i, %j]
    }
  }
  for [0, 4] (%i: index) {
    for [0, 8] (%j: index) attributes {kind = "vector", lanes = 8} {
      %0 = apply [%j] : i64
      %1 = cast %0 {dtype = f32} : f32
      %2 = literal {dtype = f32, value = 2.0} : f32
      %3 = mul %1, %2
      %4 = cast %3 {dtype = i64} : i64
      %5 = load %x[%i, %4] {checked = true}
      store %5, %z[%i, %j]
    }
  }
  for [0, 4] (%i: index) {
    for [0, 16] (%j: index) attributes {kind = "vector", lanes = 8} {
      %p = load %at[%j]
      %0 = load %x[%i, %p] {checked = true}
      %1 = apply [%j] : i64
      %2 = cast %1 {dtype = f64} : f64
      %3 = sqrt %2
      %4 = cast %3 {dtype = i64} : i64
      %5 = load %x[%i, %4] {checked = true}
      %6 = add %0, %5
      store %6, %u[%i, %j]
    }
  }
  return
}
