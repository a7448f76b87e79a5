// A reduction of everything has no rows: tiles of it run on threads, by its size alone, and their results come together
// in their order. A tile is added in f32, 128 terms at a time. A short one, and one in exact numerics, stays whole.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: mlgc opt %s --to=loops --numerics=exact | FileCheck %s --check-prefix=EXACT
// RUN: mlgc opt %s --fuse --lower-to-loops > %t.mlir
// RUN: %exits 1 mlgc opt %t.mlir --pass-pipeline='rfactor{function=rows.0.sum loop=i0 size=8}' 2>&1 | FileCheck %s --check-prefix=REFUSED
// CHECK-LABEL: func @whole.0.sum(
// CHECK: %[[P:.*]] = alloc : buffer<[(B*C) ceildiv 16384]xf64, arena>
// CHECK-NEXT: for [0, (B*C) ceildiv 16384] (%[[O:.*]]: index) attributes {kind = "parallel", schedule.strategy = "split-reduction"} {
// CHECK: %[[SUM:.*]] = for [0, min(16384*%[[O]] + 16384, B*C) ceildiv 128 - 128*%[[O]]] (%[[I:.*]]: index, {{.*}}) attributes {schedule.strategy = "reduction-lanes"} {
// CHECK: for [128*%[[I]] + 16384*%[[O]], {{.*}}) attributes {combine = ["add"], kind = "vector", lanes = 64} {
// CHECK: yield
// CHECK-NEXT: } : f32
// CHECK: yield
// CHECK-NEXT: } : f64
// CHECK-NEXT: store %[[SUM]], %[[P]][%[[O]]]
// CHECK: for [0, (B*C) ceildiv 16384] (%[[K:.*]]: index, {{.*}}
// CHECK-NEXT: load %[[P]][%[[K]]] : f64
// CHECK-LABEL: func @few.0.amax(
// CHECK-NOT: alloc
// CHECK: for [0, 1000] ({{.*}}) attributes {combine = ["max"], kind = "vector", lanes = 64, schedule.strategy = "reduction-lanes"} {
// CHECK-LABEL: func @rows.0.sum(
// EXACT-LABEL: func @whole.0.sum(
// EXACT-NOT: alloc
// EXACT-LABEL: func @few.0.amax(
// REFUSED: .mlir:32:5: error: `rfactor` of the loop over `%i0` in `@rows.0.sum` is refused: a loop of kind parallel stays
func @whole(%x: tensor<[B]x[C]xf32>) -> tensor<f32> {
  %0 = sum %x
  return %0
}
func @few(%x: tensor<1000xf32>) -> tensor<f32> {
  %0 = amax %x
  return %0
}
func @rows(%x: tensor<[B]x[C]xf32>) -> tensor<[B]xf32> {
  %0 = sum %x {dim = [1]}
  return %0
}
