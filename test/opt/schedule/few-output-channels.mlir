// Where no loop of a contraction has 8 iterations, lanes take the longest one that fills more than half of them, and that is longer
// than the innermost one: the gradient of a grouped convolution's weight, of 7 by 6 channels and windows of 3 columns.
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=gradient --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=gradient --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME: agrees
// CHECK-LABEL: func @gradient.0.conv_weight_gradient(
// CHECK: %packed = alloc
// CHECK: for [0, 7] (%o: index) attributes {kind = "vector", lanes = 8} {
// CHECK: schedule.strategy = "outer-product-tiles-of-outer-loop"} {
// CHECK-LABEL: func @of_four.0.conv_weight_gradient(
// CHECK-NOT: outer-product-tiles-of-outer-loop
// CHECK: return
func @gradient(%g: tensor<5x21x6x6x6xf32>, %x: tensor<5x18x6x6x6xf32>) -> tensor<21x6x3x3x3xf32> {
  %y = conv_weight_gradient %g, %x {dilation = [1, 1, 1], groups = 3, kernel_size = [3, 3, 3], padding = [1, 1, 1], stride = [1, 1, 1]}
  return %y
}
func @of_four(%g: tensor<5x12x6x6x6xf32>, %x: tensor<5x9x6x6x6xf32>) -> tensor<12x3x3x3x3xf32> {
  %y = conv_weight_gradient %g, %x {dilation = [1, 1, 1], groups = 3, kernel_size = [3, 3, 3], padding = [1, 1, 1], stride = [1, 1, 1]}
  return %y
}
