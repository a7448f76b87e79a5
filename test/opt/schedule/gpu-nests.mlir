// Rows that become a nest for each of their loops, parts of few rows, and lanes over the innermost of several loops compute the same.
// RUN: mlgc opt %s --to=gpu-loops > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=few_groups --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=few_groups --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=transposed_softmax --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=transposed_softmax --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=inner_sums --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=inner_sums --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=short_columns --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=short_columns --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
func @few_groups(%x: tensor<2x4x64x64xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x4x64x64xf32> {
  %y, %m, %r = group_norm %x, %g, %b {num_groups = 2, eps = 1.0e-5} : tensor<2x4x64x64xf32>, tensor<2x2xf32>, tensor<2x2xf32>
  return %y
}
func @transposed_softmax(%x: tensor<100x96xf32>) -> tensor<96x100xf32> {
  %t = transpose %x {dim0 = 0, dim1 = 1} : tensor<96x100xf32>
  %y = softmax %t {dim = 0} : tensor<96x100xf32>
  return %y
}
func @inner_sums(%x: tensor<300x5x70xf32>) -> tensor<5xf32> {
  %y = sum %x {dim = [0, 2]} : tensor<5xf32>
  return %y
}
func @short_columns(%x: tensor<40x11x33xf32>) -> tensor<40x11x33xf32> {
  %y = softmax %x {dim = 1} : tensor<40x11x33xf32>
  return %y
}
// CHECK-LABEL: func @few_groups.0.group_norm(
// CHECK: %partial = alloc : buffer<2x2x2xf32, arena>
// CHECK-NEXT: for [0, 2] (%d_o: index) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
// CHECK: for [0, 2] (%n4: index) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK: for [0, 4] (%s4_s5_o: index) attributes {kind = "parallel", schedule.strategy = "block-per-tile"} {
// CHECK-LABEL: func @transposed_softmax.0.transpose_softmax(
// CHECK-NOT: %e
// CHECK: for [0, 2] (%i6_o: index) attributes {kind = "parallel", schedule.strategy = "transpose-in-shared-memory"} {
// CHECK-LABEL: func @inner_sums.0.sum(
// CHECK: for [0, 70] (%i2: index, %2 = %0) attributes {combine = ["add"], kind = "vector", lanes = 128, schedule.strategy = "threads-over-inner-row"} {
// CHECK-NEXT: %3 = literal {dtype = f64, value = 0.0} : f64
// CHECK-NEXT: %4 = for [60*%i0_o, 60*%i0_o + 60] (%i0: index, %5 = %3) {
// CHECK-LABEL: func @short_columns.0.softmax(
// CHECK-NEXT: for [0, 40] (%i9: index) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK-NEXT: for [0, 33] (%i11: index) attributes {kind = "parallel"} {
// CHECK-NEXT: %e = alloc : buffer<11xf32, thread>
// SAME: y: agrees
