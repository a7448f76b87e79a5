// Windows of any step and length, and their epilogues. With steps that do not divide those between them (stride 2,
// dilation 3) all elements are packed, with common steps (stride 2, dilation 2) every second one. Of windows of more than
// 64 terms the inner loops are written out. Where rows fill few lanes of their last strip, an epilogue iterates over all
// rows as one.
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=dilated --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=dilated --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=steps --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=steps --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=long --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=long --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=mean --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=mean --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=rest --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=rest --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME: y: agrees
// CHECK-LABEL: func @dilated.0.conv2d
// CHECK: %packed = alloc : buffer<{{.*}}x2x{{.*}}xf32, thread>
// CHECK: for {{.*}}lanes = 16
// CHECK: load %packed[3*%{{.*}} + 8*%{{.*}}, %[[Q:.*]] mod 2, %[[Q]] + %[[Q]] floordiv 2 + %{{.*}}]
// CHECK-LABEL: func @steps.0.conv2d
// CHECK: %packed = alloc : buffer<14x32xf32, thread>
// CHECK: load %x[0, %{{.*}}, 2*%{{.*}}, 2*%{{.*}}]
// CHECK: for [0, 12] (%{{.*}}: index) attributes {kind = "vector", lanes = 16}
// CHECK: load %packed[%{{.*}} + 4*%{{.*}}, %{{.*}} + %{{.*}}]
// CHECK-LABEL: func @long.0.conv3d
// CHECK: for {{.*}}lanes = 16
// CHECK: for [0, 2] (%{{.*}}: index, %{{.*}} = %{{.*}}) {
// CHECK: for [{{.*}}] (%{{.*}}: index, %{{.*}} = %{{.*}}) {
// CHECK-NEXT: for [0, 7] (%{{.*}}: index, %{{.*}} = %{{.*}}) attributes {kind = "unrolled"} {
// CHECK-NEXT: for [0, 7] (%{{.*}}: index, %{{.*}} = %{{.*}}) attributes {kind = "unrolled"} {
// CHECK-LABEL: func @mean.0.avg_pool3d
// CHECK: for {{.*}}lanes = 16
// CHECK: attributes {kind = "unrolled"}
// CHECK-LABEL: func @rest.0.conv2d_silu
// CHECK: %sums = alloc : buffer<11x11xf32, thread>
// CHECK: for [0, 2] (%{{.*}}: index) {
// CHECK-NEXT: for [0, 11] (%{{.*}}: index) attributes {kind = "vector", lanes = 16} {
// CHECK: store %{{.*}}, %sums
// CHECK: for [min(57, 64*%[[S:.*]]), min(57, 64*%[[S]]) + 64] (%{{.*}}: index) attributes {kind = "vector", lanes = 64}
// CHECK: sigmoid
func @dilated(%x: tensor<1x3x40x41xf32>, %w: tensor<3x1x5x5xf32>) -> tensor<1x3x17x19xf32> {
  %y = conv2d %x, %w {groups = 3, padding = [3, 4], stride = [2, 2], dilation = [3, 3]}
  return %y
}
func @steps(%x: tensor<1x3x27x28xf32>, %w: tensor<3x1x3x3xf32>) -> tensor<1x3x12x12xf32> {
  %y = conv2d %x, %w {groups = 3, stride = [2, 2], dilation = [2, 2]}
  return %y
}
func @long(%x: tensor<1x3x9x9x20xf32>, %w: tensor<3x1x7x7x7xf32>) -> tensor<1x3x9x9x20xf32> {
  %y = conv3d %x, %w {groups = 3, padding = [3, 3, 3]}
  return %y
}
func @mean(%x: tensor<1x3x9x9x20xf32>) -> tensor<1x3x5x5x16xf32> {
  %y = avg_pool3d %x {kernel_size = [5, 5, 5], stride = [1, 1, 1]}
  return %y
}
func @rest(%x: tensor<2x3x11x11xf32>, %w: tensor<3x1x3x3xf32>) -> tensor<2x3x11x11xf32> {
  %c = conv2d %x, %w {groups = 3, padding = [1, 1]}
  %y = silu %c
  return %y
}
