// Rows of up to 128 terms wait for their lanes to come together, so 4 of them go side by side; lanes are fewer where that leaves
// fewer of them without a term.
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=short --dim=B=7 --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=short --dim=B=7 --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=short --dim=B=0 --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=short --dim=B=0 --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=few --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=few --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME: agrees
// CHECK-LABEL: func @short.0.softmax(
// CHECK: for [0, B floordiv 4] (%[[B:.*]]: index) attributes {kind = "parallel"} {
// CHECK: for [0, 48] (%{{.*}}: index, {{.*}}) attributes {combine = ["max", "max", "max", "max"], kind = "vector", lanes = 16, schedule.strategy = "reduction-lanes"} {
// CHECK: load %x[4*%[[B]] + 3, %{{.*}}] : f32
// CHECK: combine = ["add", "add", "add", "add"], kind = "vector", lanes = 16
// CHECK: for [4*(B floordiv 4), B]
// CHECK-LABEL: func @few.0.softmax(
// CHECK: combine = ["max", "max", "max"], kind = "vector", lanes = 32
// CHECK-LABEL: func @long.0.softmax(
// CHECK: combine = ["max"], kind = "vector", lanes = 64
func @short(%x: tensor<[B]x48xf32>) -> tensor<[B]x48xf32> {
  %y = softmax %x {dim = 1}
  return %y
}
func @few(%x: tensor<3x61xf32>) -> tensor<3x61xf32> {
  %y = softmax %x {dim = 1}
  return %y
}
func @long(%x: tensor<[B]x192xf32>) -> tensor<[B]x192xf32> {
  %y = softmax %x {dim = 1}
  return %y
}
