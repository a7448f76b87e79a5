// Long sums, and those whose length is not known, are carried in f32 for a number of terms, and the sums of these in f64.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: mlgc opt %s --to=loops --numerics=exact | FileCheck %s --check-prefix=EXACT
// CHECK-LABEL: func @rows.0.sum(
// CHECK: %[[S:.*]] = for [0, N ceildiv 1024] (%[[O:.*]]: index, %[[ALL:.*]] = %{{.*}}) attributes {schedule.strategy = "reduction-lanes"} {
// CHECK: %[[F:.*]] = for [1024*%[[O]], min(1024*%[[O]] + 1024, N)] (%{{.*}}) attributes {combine = ["add"], kind = "vector", lanes = 64} {
// CHECK: } : f32
// CHECK-NEXT: %[[W:.*]] = cast %[[F]] {dtype = f64} : f64
// CHECK-NEXT: add %[[ALL]], %[[W]] : f64
// CHECK-LABEL: func @planes.0.sum(
// CHECK: for [0, 64] (%{{.*}}: index, %[[ALL:.*]] = %{{.*}}) {
// CHECK: %[[F:.*]] = for [0, 512] (%{{.*}}) attributes {combine = ["add"], kind = "vector", lanes = 64, schedule.strategy = "reduction-lanes"} {
// CHECK: %[[W:.*]] = cast %[[F]] {dtype = f64} : f64
// CHECK-NEXT: add %[[ALL]], %[[W]] : f64
// EXACT-NOT: literal {dtype = f32
func @rows(%x: tensor<[B]x[N]xf32>) -> tensor<[B]xf32> {
  %0 = sum %x {dim = [1]}
  return %0
}
func @planes(%x: tensor<64x[C]x512xf32>) -> tensor<[C]xf32> {
  %0 = sum %x {dim = [0, 2]}
  return %0
}
