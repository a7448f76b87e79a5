// Rows of a few strips: the last strip is full too, and begins in the one before. Rows that fill no lanes are one loop
// with their elements, if its lanes read near each other. Where a border is one
// number, even short rows become pieces: masks cost more.
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc emit %s --target=cpp | FileCheck %s --check-prefix=PLACES
// RUN: mlgc eval %s -O2 --function=down --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s -O2 --function=up --random-inputs=1 --dim=B=3 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s -O2 --function=far --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s -O2 --function=around --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s -O2 --function=border --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// SAME: y by interp: agrees
// SAME: y by cpp: agrees
// CHECK-LABEL: func @down.0.upsample_nearest2d
// CHECK: for [0, 5] (%[[H:.*]]: index) {
// CHECK-NEXT: for [0, 2] (%[[S:.*]]: index) attributes {kind = "unrolled", schedule.strategy = "elementwise-lanes"} {
// CHECK-NEXT: for [min(1, 4*%[[S]]), min(1, 4*%[[S]]) + 4] (%[[W:.*]]: index) attributes {kind = "vector", lanes = 4} {
// CHECK-NEXT: load %{{.*}}[%{{.*}}, 2*%[[H]], 2*%[[W]]] : f32
// CHECK-LABEL: func @up.0.upsample_nearest2d
// CHECK: for [min(42, 8*%[[S:.*]]), min(42, 8*%[[S]]) + 8] (%[[P:.*]]: index) attributes {kind = "vector", lanes = 8} {
// CHECK-NEXT: load %{{.*}}[%{{.*}}, %[[P]] floordiv 10, (2*(%[[P]] mod 5)) floordiv 5] : f32
// CHECK-NEXT: store %{{.*}}, %{{.*}}[%{{.*}}, %[[P]]]
// CHECK-LABEL: func @far.0.
// CHECK-NOT: floordiv 6
// CHECK-LABEL: func @around.0.pad
// CHECK: load %{{.*}} floordiv 6
// CHECK-LABEL: func @border.0.pad
// CHECK: for [1, 11] (%[[H:.*]]: index) {
// CHECK-NOT: guard
// CHECK: for [min(3, 8*%[[S:.*]] + 1), min(3, 8*%[[S]] + 1) + 8] (%[[W:.*]]: index) attributes {kind = "vector", lanes = 8} {
// CHECK-NEXT: load %{{.*}}[%{{.*}}, %[[H]] - 1, %[[W]] - 1] : f32
// CHECK-NOT: guard
// PLACES: mlgc_load_near<8, float, 8>(x + 10 * p0_p1, x_flat_places
func @down(%x: tensor<3x7x11x11xf32>) -> tensor<3x7x5x5xf32> {
  %y = upsample_nearest2d %x {size = [5, 5]}
  return %y
}
func @up(%x: tensor<[B]x6x5x2xf32>) -> tensor<[B]x6x10x5xf32> {
  %y = upsample_nearest2d %x {size = [10, 5]}
  return %y
}
func @far(%x: tensor<3x7x4x40xf32>) -> tensor<3x7x40x6xf32> {
  %0 = permute %x {dims = [0, 1, 3, 2]}
  %y = pad %0 {pad = [1, 1], mode = "circular"}
  return %y
}
func @around(%x: tensor<3x7x9x4xf64>) -> tensor<3x7x9x6xf64> {
  %y = pad %x {pad = [1, 1], mode = "circular"}
  return %y
}
func @border(%x: tensor<2x5x10x10xf32>) -> tensor<2x5x12x12xf32> {
  %y = pad %x {pad = [1, 1, 1, 1]}
  return %y
}
