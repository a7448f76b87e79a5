// Lanes that a guard lets through are one run of them: its mask comes from a count for each end, and one load takes what
// it lets through of consecutive elements, in every width.
// RUN: mlgc emit %s | FileCheck %s
// CHECK: ~mlgc_first<i32x[[#LANES:]]>(mlgc_min(mlgc_max((-i{{.*}} + 1), int64_t{0}), int64_t{{[{]}}[[#]]{{[}]}}))
// CHECK: mlgc_load_masked<f32x[[#LANES]]>(x + {{.*}}, t{{[0-9]+}})
// CHECK: mlgc_first<i32x[[#LANES]]>(mlgc_min(mlgc_max((S - i{{.*}}), int64_t{0}), int64_t{{[{]}}[[#]]{{[}]}}))
// CHECK: mlgc_load_masked<f32x[[#LANES]]>(x + {{.*}}, t{{[0-9]+}})
// RUN: mlgc eval %s --dim=B=3 --dim=S=37 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// RUN: mlgc eval %s --dim=B=1 --dim=S=1 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// RUN: mlgc eval %s --dim=B=2 --dim=S=0 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// RUN: mlgc eval %s --dim=B=2 --dim=S=64 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// AGREES: y by cpp: agrees
module {
  func @f.0.compute(%x: buffer<[B]x[S]xf32, argument>, %y: buffer<[B]x[S]xf32, argument>) {
    for [0, B] (%b: index) attributes {kind = "parallel"} {
      for [0, S] (%i: index) attributes {kind = "vector", lanes = 64} {
        %0 = guard [%i - 1] : i1
        %1 = if %0 {
          %2 = load %x[%b, %i - 1] : f32
          yield %2
        } else {
          %2 = literal {dtype = f32, value = 0.0} : f32
          yield %2
        } : f32
        %2 = literal {dtype = f32, value = 2.0} : f32
        %3 = guard [S - %i - 2] : i1
        %4 = if %3 {
          %5 = load %x[%b, %i + 1] : f32
          yield %5
        } else {
          %5 = literal {dtype = f32, value = 0.5} : f32
          yield %5
        } : f32
        %5 = mul %2, %4 : f32
        %6 = add %1, %5 : f32
        store %6, %y[%b, %i]
        yield
      }
      yield
    }
    return
  }
  func @f(%x: buffer<[B]x[S]xf32, argument>, %y: buffer<[B]x[S]xf32, argument>) attributes {results = 1} {
    launch @f.0.compute, %x, %y
    return
  }
}
