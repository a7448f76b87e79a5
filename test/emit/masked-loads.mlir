// Lanes that a guard lets through are one run of them: its mask comes from two counts, and one load takes what it lets
// through of consecutive elements, in every width.
// RUN: rm -rf %t && mlgc emit %s -o %t
// RUN: FileCheck %s < %t/model.cpp
// CHECK: ~mlgc_first<i32x[[#LANES:]]>(mlgc_min(mlgc_max((-h - p{{.*}} + 1), int64_t{0}), {{.*}} & (mlgc_first<i32x{{[0-9]+}}>({{.*}}S - h - p
// CHECK: mlgc_load_masked<f32x[[#LANES]]>(x + {{.*}}, t{{[0-9]+}})
// CHECK-NOT: mlgc_load_lanes<f32
// RUN: mlgc eval %s --dim=B=3 --dim=S=37 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// RUN: mlgc eval %s --dim=B=1 --dim=S=1 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// RUN: mlgc eval %s --dim=B=2 --dim=S=0 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// RUN: mlgc eval %s --dim=B=2 --dim=S=64 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// AGREES: y by cpp: agrees
module {
  func @f(%x: tensor<[B]x2x[S]xf32>, %w: tensor<4x2x3xf32>) -> tensor<[B]x4x[S]xf32> {
    %y = conv1d %x, %w {padding = [1]}
    return %y
  }
}
