// Lanes that read backwards load a vector and turn it, of every size of element and in the rest: the bits are the
// interpreter's.
// RUN: mlgc emit %s --target=cpp | FileCheck %s
// CHECK-DAG: mlgc_load_reversed<f32x64>
// CHECK-DAG: mlgc_load_reversed_part<f32x64>
// CHECK-DAG: mlgc_load_reversed<f64x64>
// CHECK-DAG: mlgc_load_reversed<i8x64>
// CHECK-DAG: mlgc_load_reversed<i64x4>
// RUN: mlgc eval %s --backend=cpp --random-inputs=3 --dim=N=6 --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --backend=cpp --random-inputs=3 --dim=N=203 --compare=interp | FileCheck %s --check-prefix=SAME
// SAME-COUNT-5: 0 differ from the reference
// RUN: mlgc compile %s --vector-bytes=all -o %t.mlgcx
// RUN: mlgc run %t.mlgcx --vector-bytes=16 --input=x=3x6xf32=iota --input=d=3x6xf64=iota --input=b=3x6xi8=iota --input=l=3x6xi64=iota --input=t=3x6xi1=0 | FileCheck %s --check-prefix=TURNED
// TURNED-COUNT-4: 5{{(\.0)?}}, 4{{(\.0)?}}, 3{{(\.0)?}}, 2{{(\.0)?}}, 1{{(\.0)?}}, 0
func @f(%x: buffer<3x[N]xf32, argument>, %d: buffer<3x[N]xf64, argument>, %b: buffer<3x[N]xi8, argument>, %l: buffer<3x[N]xi64, argument>, %t: buffer<3x[N]xi1, argument>, %x2: buffer<3x[N]xf32, argument>, %d2: buffer<3x[N]xf64, argument>, %b2: buffer<3x[N]xi8, argument>, %l2: buffer<3x[N]xi64, argument>, %t2: buffer<3x[N]xi1, argument>) attributes {results = 5} {
  for [0, 3] (%r: index) {
    for [0, N] (%j: index) attributes {kind = "vector", lanes = 64} {
      %0 = load %x[%r, N - 1 - %j]
      store %0, %x2[%r, %j]
      %1 = load %d[%r, N - 1 - %j]
      store %1, %d2[%r, %j]
      %2 = load %b[%r, N - 1 - %j]
      store %2, %b2[%r, %j]
      %3 = load %t[%r, N - 1 - %j]
      store %3, %t2[%r, %j]
    }
    for [0, N] (%j: index) attributes {kind = "vector", lanes = 4} {
      %0 = load %l[%r, N - 1 - %j]
      store %0, %l2[%r, %j]
    }
  }
  return
}
