// Interpolation: lanes along columns, the window of four written out; positions and weights, which are the same for all
// channels, are computed once, and lie as lanes read them.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// CHECK: %[[WEIGHTS:.*]] = alloc : buffer<20x2x2x24xf32, arena>
// CHECK: for [8*%[[S:.*]], 8*%[[S]] + 8] (%{{.*}}: index) attributes {kind = "vector", lanes = 8}
// CHECK: store %{{.*}}, %[[WEIGHTS]][%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}]
// CHECK: %[[COLUMNS:.*]] = alloc : buffer<2x24xi64, arena>
// CHECK: %[[ROWS:.*]] = alloc : buffer<20x2xi64, arena>
// CHECK: for [0, 15] (%{{.*}}: index) attributes {kind = "parallel", schedule.strategy = "gathered-window-lanes"} {
// CHECK-NEXT: for [0, 20] (%[[H:.*]]: index) {
// CHECK-NEXT: for [0, 24] (%[[W:.*]]: index) attributes {kind = "vector", lanes = 8} {
// CHECK: for [0, 2] (%[[I:.*]]: index, %{{.*}}) attributes {kind = "unrolled"} {
// CHECK-NEXT: for [0, 2] (%[[J:.*]]: index, %{{.*}}) attributes {kind = "unrolled"} {
// CHECK-NEXT: %[[ROW:.*]] = load %[[ROWS]][%[[H]], %[[I]]]
// CHECK-NEXT: %[[COLUMN:.*]] = load %[[COLUMNS]][%[[J]], %[[W]]]
// CHECK-NEXT: load %{{.*}}[%{{.*}}, %[[ROW]], %[[COLUMN]]] {checked = true}
// CHECK-NEXT: load %[[WEIGHTS]][%[[H]], %[[I]], %[[J]], %[[W]]]
// CHECK-NOT: floor
// RUN: mlgc explain schedule %s | FileCheck %s --check-prefix=WHY
// WHY: gathered-window-lanes at %{{.*}}: 24 iterations of %{{.*}} read windows of 4 elements at 1 computed place: 8 lanes
// RUN: mlgc eval %s -O2 --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// SAME: y by interp: agrees
// SAME: y by cpp: agrees
func @f(%x: tensor<3x5x10x13xf32>) -> tensor<3x5x20x24xf32> {
  %y = upsample_bilinear2d %x {scale = [0.5, 0.5417], size = [20, 24]}
  return %y
}
