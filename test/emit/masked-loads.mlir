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
  func @f(%x: tensor<[B]x[S]xf32>) -> tensor<[B]x[S]xf32> {
    %y = compute %x {formula = "y[b, i] = x0[b, i - 1]?0.0 + 2.0*x0[b, i + 1]?0.5 over b < [B], i < [S]"} : tensor<[B]x[S]xf32>
    return %y
  }
}
