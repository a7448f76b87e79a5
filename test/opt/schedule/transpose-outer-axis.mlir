// The loop along which a transpose reads goes next to the one along which it writes, whatever other axes are permuted;
// the pieces of a `cat` are transposes of their own. Columns that fill no square are gone along one by one, as threads
// have the loops around them.
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=reversed --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=joined --dim=B=2 --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=joined --dim=B=37 --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// SAME: y by interp: agrees
// SAME: y by cpp: agrees
// CHECK-LABEL: func @reversed.0.permute
// CHECK-NEXT: for [0, 17] (%[[B1:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, 9] (%[[B2:.*]]: index) {
// CHECK-NEXT: for [0, 1] (%[[O:.*]]: index) attributes {schedule.strategy = "transpose-in-registers"} {
// CHECK-NEXT: for [0, 3] (%[[D:.*]]: index) {
// CHECK-NEXT: for [16*%[[O]], min(1, 16*%[[O]] + 16)] (%[[T:.*]]: index) {
// CHECK-NEXT: alloc : buffer<8x8xf32, register>
// CHECK: load %x[%[[R:.*]] + 5*%[[T]], %[[B2]], %[[B1]], %[[L:.*]] + 8*%[[D]]] : f32
// CHECK: store %{{.*}}, %y[%{{.*}} + 8*%[[D]], %[[B1]], %[[B2]], %{{.*}} + 5*%[[T]]]
// CHECK-LABEL: func @joined.0.
// CHECK: for [0, 4] (%[[P:.*]]: index) {
// CHECK-NEXT: for [0, (B floordiv 16) ceildiv 16] (%{{.*}}: index) attributes {schedule.strategy = "transpose-in-registers"} {
// CHECK: for [16*(B floordiv 16), B] (%[[E:.*]]: index) {
// CHECK-NEXT: for [0, 32] (%[[A:.*]]: index) attributes {kind = "vector", lanes = 32, schedule.strategy = "elementwise-lanes"} {
// CHECK-NEXT: %[[V:.*]] = load %x[%[[E]], %{{.*}}, %[[P]], %[[A]]] : f32
// CHECK-NEXT: store %[[V]], %y[%[[A]], %{{.*}}, %[[P]], %[[E]]]
// CHECK: for [4, 7] (%[[Q:.*]]: index) {
// CHECK-NEXT: for [0, (B floordiv 16) ceildiv 16] (%{{.*}}: index) attributes {schedule.strategy = "transpose-in-registers"} {
func @reversed(%x: tensor<5x9x17x29xf32>) -> tensor<29x17x9x5xf32> {
  %y = permute %x {dims = [3, 2, 1, 0]}
  return %y
}
func @joined(%a: tensor<[B]x50x4x32xf32>, %b: tensor<[B]x50x3x32xf32>) -> tensor<32x50x7x[B]xf32> {
  %c = cat %a, %b {dim = 2}
  %y = permute %c {dims = [3, 1, 2, 0]}
  return %y
}
