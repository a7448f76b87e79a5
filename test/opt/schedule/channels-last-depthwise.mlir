// Depthwise convolutions of channels that are last: lanes over the channels, for which the weight is copied as they
// read it, once for the whole nest. Two results of a channel are two sums of a lane. With few places that share the
// copy it stays.
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s -O2 --function=last --random-inputs=1 --dim=B=2 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s -O2 --function=two --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// RUN: mlgc explain schedule %s | FileCheck %s --check-prefix=WHY
// RUN: mlgc explain fusion %s | FileCheck %s --check-prefix=FUSED
// FUSED: @two: 1 kernel, 82584 bytes
// SAME: y by interp: agrees
// SAME: y by cpp: agrees
// WHY: lanes-over-product-columns at %{{.*}}: 37 iterations of %{{.*}} have contractions of their own, which read and write neighbours; 1 load packed
// WHY: lanes-over-product-columns at %{{.*}}: 37 iterations of %{{.*}} have contractions of their own, which read neighbours and write 2 results each; 1 load packed
// CHECK-LABEL: func @last.0.permute_conv2d_permute
// CHECK: %[[COPY:.*]] = alloc : buffer<3x3x37xf32, arena>
// CHECK: for [0, 37] (%[[C:.*]]: index) attributes {kind = "vector", lanes = 32, schedule.strategy = "lanes-over-product-columns"} {
// CHECK-NOT: guard
// CHECK: load %[[COPY]][%{{.*}}, %{{.*}}, %[[C]]] : f32
// CHECK-LABEL: func @few.0.
// CHECK-NOT: lanes-over-product-columns
// CHECK-LABEL: func @two.0.permute_conv2d_permute
// CHECK: %[[TWO:.*]] = alloc : buffer<2x3x3x37xf32, arena>
// CHECK: for [0, 37] (%[[G:.*]]: index) attributes {kind = "vector", lanes = 32, schedule.strategy = "lanes-over-product-columns"} {
// CHECK: %{{.*}}, %{{.*}} = for [0, 3] (
// CHECK-NEXT: %{{.*}}, %{{.*}} = for [0, 3] (
// CHECK-NEXT: %[[X:.*]] = load %{{.*}}[%{{.*}}, %[[G]]] : f32
// CHECK-NEXT: %[[W0:.*]] = load %[[TWO]][0, %{{.*}}, %[[G]]] : f32
// CHECK-NEXT: fma %[[X]], %[[W0]], %{{.*}} : f32
// CHECK-NEXT: %[[W1:.*]] = load %[[TWO]][1, %{{.*}}, %[[G]]] : f32
// CHECK-NEXT: fma %[[X]], %[[W1]], %{{.*}} : f32
func @last(%x: tensor<[B]x9x10x37xf32>, %w: tensor<37x1x3x3xf32>) -> tensor<[B]x9x10x37xf32> {
  %0 = permute %x {dims = [0, 3, 1, 2]}
  %1 = conv2d %0, %w {padding = [1, 1], groups = 37}
  %y = permute %1 {dims = [0, 2, 3, 1]}
  return %y
}
func @few(%x: tensor<1x3x3x37xf32>, %w: tensor<37x1x3x3xf32>) -> tensor<1x1x1x37xf32> {
  %0 = permute %x {dims = [0, 3, 1, 2]}
  %1 = conv2d %0, %w {groups = 37}
  %y = permute %1 {dims = [0, 2, 3, 1]}
  return %y
}
func @two(%x: tensor<2x9x10x37xf32>, %w: tensor<74x1x3x3xf32>) -> tensor<2x9x10x74xf32> {
  %0 = permute %x {dims = [0, 3, 1, 2]}
  %1 = conv2d %0, %w {padding = [1, 1], groups = 37}
  %y = permute %1 {dims = [0, 2, 3, 1]}
  return %y
}
