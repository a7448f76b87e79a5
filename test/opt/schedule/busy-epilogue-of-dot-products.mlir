// Sums whose lanes are those of their terms leave a busy epilogue no lanes: it becomes loops of its own behind 64 columns
// of sums, which pass through scratch. A plain one stays where the sums are.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: mlgc eval %s --function=busy --random-inputs=2 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=row --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=plain --random-inputs=1 --backend=interp,cpp | FileCheck %s --check-prefix=SAME
// SAME: y by cpp: agrees
// CHECK-LABEL: func @busy.0.linear_tanh(
// CHECK: for [0, 5] (%[[O:.*]]: index) attributes {kind = "parallel"} {
// CHECK: %{{.*}} = alloc : buffer<{{.*}}xf32, thread>
// CHECK: schedule.strategy = "dot-product-tiles"
// CHECK: for [0, 3] (%{{.*}}: index) {
// CHECK-NEXT: for [64*%[[O]], min(300, 64*%[[O]] + 64)] (%[[C:.*]]: index) attributes {kind = "vector", lanes = 64, schedule.strategy = "elementwise-lanes"} {
// CHECK: tanh
// CHECK-LABEL: func @row.0.linear_gelu(
// CHECK-NEXT: for [0, 5] (%{{.*}}: index) attributes {kind = "parallel"} {
// CHECK: schedule.strategy = "dot-product-tiles"
// CHECK: attributes {kind = "vector", lanes = 64, schedule.strategy = "elementwise-lanes"} {
// CHECK-LABEL: func @plain.0.linear_relu(
// CHECK-NOT: alloc
// CHECK-NOT: elementwise-lanes
// CHECK-LABEL: func @row(
func @busy(%x: tensor<3x96xf32>, %w: tensor<300x96xf32>, %b: tensor<300xf32>) -> tensor<3x300xf32> {
  %0 = linear %x, %w, %b
  %y = tanh %0
  return %y
}
func @row(%x: tensor<1x96xf32>, %w: tensor<300x96xf32>) -> tensor<1x300xf32> {
  %0 = linear %x, %w
  %y = gelu %0
  return %y
}
func @plain(%x: tensor<3x96xf32>, %w: tensor<300x96xf32>) -> tensor<3x300xf32> {
  %0 = linear %x, %w
  %y = relu %0
  return %y
}
