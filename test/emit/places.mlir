// Places that follow from the lane alone are numbers in the text: where eight lanes read near each other one load and a
// shuffle, else a load for each lane. They repeat where the loop has more of them than a table.
// RUN: mlgc emit %s --target=cpp | FileCheck %s
// CHECK: static const int32_t x_places[2] = {0, 0};
// CHECK-NEXT: static const int32_t x_places_near[16] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7};
// CHECK: mlgc_load_near<8, float, 16>(x + 8 * i, x_places, x_places_near)
// CHECK: static const int32_t z_places[16] = {0, 0, 0, 0, 0, 0, 40, 40, 40, 40, 40, 40, 80, 80, 80, 80};
// CHECK: mlgc_load_table<float, 16>(z, z_places)
// CHECK: static const int32_t r_places[24] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7};
// CHECK: mlgc_load_table<float, 8>(r + (k) / 24 * 8, r_places + ((k) % 24))
// Any other places are gathered without masks, by scratch where they lie in it, and tested for all lanes at once.
// CHECK: if (mlgc_any_outside(p, 8))
// CHECK: mlgc_load_at<float, 16>(x + 8 * i_2, p)
// CHECK: mlgc_load_table<float, 16>(x + 8 * i_2, own + l)
// RUN: mlgc eval %s --backend=cpp --random-inputs=1 --dim=N=101 --input=at=16xi64=3,0,7,7,1,2,6,5,4,0,0,3,2,1,7,6 --compare=interp | FileCheck %s --check-prefix=SAME
// SAME: y by cpp: agrees
// SAME: v by cpp: agrees
func @f(%x: buffer<4x8xf32, argument>, %z: buffer<3x40xf32, argument>, %r: buffer<[N]xf32, argument>, %at: buffer<16xi64, argument>, %y: buffer<4x16xf32, argument>, %t: buffer<[3*N]xf32, argument>, %v: buffer<4x16xf32, argument>) attributes {results = 3} {
  for [0, 4] (%i: index) {
    for [0, 16] (%j: index) attributes {kind = "vector", lanes = 16} {
      %0 = load %x[%i, %j floordiv 2]
      %1 = load %z[%j floordiv 6, 0]
      %2 = add %0, %1
      store %2, %y[%i, %j]
    }
  }
  for [0, 3*N] (%k: index) attributes {kind = "vector", lanes = 8} {
    %0 = load %r[%k floordiv 3]
    store %0, %t[%k]
  }
  %own = alloc : buffer<16xi64, arena>
  for [0, 16] (%n: index) attributes {kind = "vector", lanes = 16} {
    %0 = load %at[%n]
    store %0, %own[%n]
  }
  for [0, 4] (%i: index) {
    for [0, 16] (%l: index) attributes {kind = "vector", lanes = 16} {
      %p = load %at[%l]
      %0 = load %x[%i, %p] {checked = true}
      %q = load %own[%l]
      %1 = load %x[%i, %q] {checked = true}
      %2 = add %0, %1
      store %2, %v[%i, %l]
    }
  }
  return
}
