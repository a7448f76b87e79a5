// Tables of places for elements of every size, in full strips and in the rest, forwards and backwards: the bits are the
// interpreter's.
// RUN: mlgc emit %s --target=cpp | FileCheck %s
// CHECK-DAG: mlgc_load_near<8, uint16_t, 16>
// CHECK-DAG: mlgc_load_near<8, int32_t, 16>
// CHECK-DAG: mlgc_load_table<double, 16>
// CHECK-DAG: mlgc_load_table<int64_t, 16>
// CHECK-DAG: mlgc_load_table<int8_t, 16>
// RUN: mlgc eval %s --backend=cpp --random-inputs=3 --compare=interp | FileCheck %s --check-prefix=SAME
// SAME-COUNT-6: 0 differ from the reference
func @f(%h: buffer<3x12xf16, argument>, %i: buffer<3x12xi32, argument>, %d: buffer<3x12xf64, argument>, %l: buffer<3x12xi64, argument>, %b: buffer<3x12xi8, argument>, %t: buffer<3x12xi1, argument>, %h2: buffer<3x37xf16, argument>, %i2: buffer<3x37xi32, argument>, %d2: buffer<3x37xf64, argument>, %l2: buffer<3x37xi64, argument>, %b2: buffer<3x37xi8, argument>, %t2: buffer<3x37xi1, argument>) attributes {results = 6} {
  for [0, 3] (%r: index) {
    for [0, 37] (%j: index) attributes {kind = "vector", lanes = 16} {
      %0 = load %h[%r, %j floordiv 4]
      store %0, %h2[%r, %j]
      %1 = load %i[%r, 11 - %j floordiv 4]
      store %1, %i2[%r, %j]
      %2 = load %d[%r, min(%j, 11)]
      store %2, %d2[%r, %j]
      %3 = load %l[%r, %j mod 12]
      store %3, %l2[%r, %j]
      %4 = load %b[%r, (5*%j) mod 12]
      store %4, %b2[%r, %j]
      %5 = load %t[%r, (7*%j) floordiv 24]
      store %5, %t2[%r, %j]
    }
  }
  return
}
