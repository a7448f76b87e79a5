// Lanes that read elements 2 to 4 apart put them together from vectors of neighbours, under masks and in the rest too;
// further apart they are loaded one by one.
// RUN: mlgc emit %s | FileCheck %s
// CHECK-DAG: mlgc_load_apart<f32x16, 3>(x + 3 * i)
// CHECK-DAG: mlgc_load_apart_part<f32x16, 3>(x + 3 * i, i_count)
// CHECK-DAG: mlgc_load_apart_masked<f32x16, 4>(x + 4 * i - 3, t{{[0-9]+}})
// CHECK-DAG: mlgc_load_apart<ui16x16, 2>(h + 2 * i)
// CHECK-DAG: mlgc_load_every<f32x16>(x + 5 * i, 5)
// RUN: mlgc eval %s --backend=cpp --dim=N=150 --random-inputs=1 --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --backend=cpp --dim=N=16 --random-inputs=1 --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --backend=cpp --dim=N=1 --random-inputs=1 --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --backend=cpp --dim=N=0 --random-inputs=1 --compare=interp | FileCheck %s --check-prefix=SAME
// SAME-COUNT-2: 0 differ from the reference
func @f(%x: buffer<[5*N]xf32, argument>, %h: buffer<[2*N]xbf16, argument>, %y: buffer<[N]xf32, argument>, %z: buffer<[N]xbf16, argument>) attributes {results = 2} {
  for [0, N] (%i: index) attributes {kind = "vector", lanes = 16} {
    %0 = load %x[3*%i]
    %1 = guard [4*%i - 3]
    %2 = if %1 {
      %3 = load %x[4*%i - 3]
      yield %3
    } else {
      %3 = literal {dtype = f32, value = 0.5}
      yield %3
    }
    %4 = load %x[5*%i]
    %5 = add %0, %2
    %6 = add %5, %4
    store %6, %y[%i]
    %7 = load %h[2*%i]
    store %7, %z[%i]
  }
  return
}
