// Weights that many rows of a contraction share lie in panels, which lanes read; who else reads a weight reads it as it was.
// RUN: mlgc opt %s -O2 --to=loops | FileCheck %s
// CHECK: weight @w.panels : tensor<2x40x16xf32> = {
// CHECK-NEXT: %[[W:.*]] = read @w : tensor<24x40xf32>
// CHECK-NEXT: compute %[[W]] {formula = "y[i0,i1,i2] = x0[16*i0+i2,i1]?0 where i0=2, i1=40, i2=16"} : tensor<2x40x16xf32>
// CHECK: weight @v : tensor<12x8x3x3xf32>
// CHECK-NEXT: weight @v.panels : tensor<1x8x3x3x16xf32> = {
// CHECK: func @linear.0.linear.panels(
// CHECK: for [0, 2] (%[[P:[^ :]*]]: index) {
// CHECK: for [16*%[[P]], min(16*%[[P]] + 16, 24)] (%[[N:[^ :]*]]: index) attributes {kind = "vector", lanes = 16} {
// CHECK: load %{{.*}}[%[[P]], %[[K:.*]], %[[N]] - 16*%[[P]]] : f32
// So have few terms (3 channels read through windows of 1); the results, which lie across, pass through scratch.
// CHECK: func @few_terms.0.conv2d(
// CHECK: %sums = alloc : buffer<64x16xf32, thread>
// CHECK: for [0, 16] (%[[F:[^ :]*]]: index) attributes {kind = "vector", lanes = 16} {
// CHECK: load %{{.*}}[0, %{{.*}}, %[[F]]] : f32
// CHECK: store %{{.*}}, %sums[
// CHECK: transpose_in_place
// CHECK: func @convolution.0.conv2d(
// CHECK: %padded = alloc : buffer<8x9x9xf32, arena>
// CHECK: %sums = alloc : buffer<7x12xf32, thread>
// CHECK: for [0, 12] (%[[O:.*]]: index) attributes {kind = "vector", lanes = 16} {
// CHECK: load %{{.*}}[0, %[[C:.*]], %[[A:.*]], %[[B:.*]], %[[O]]] : f32
// CHECK: load %padded[%[[C]], %{{.*}} + %[[A]], %[[B]]
// CHECK: store %{{.*}}, %sums[
// CHECK: load %sums[
// Three rows do not share enough, and what a call changes is no weight.
// CHECK: func @few(
// CHECK: data @w : buffer<24x40xf32, weight>
// CHECK: func @step(
// CHECK: data @s : buffer<24x40xf32, weight>
weight @w : tensor<24x40xf32>
weight @v : tensor<12x8x3x3xf32>
weight @u : tensor<16x3x1x1xf32>
state @s : tensor<24x40xf32>
func @linear(%x: tensor<50x40xf32>) -> tensor<50x24xf32> {
  %w = read @w : tensor<24x40xf32>
  %y = linear %x, %w
  return %y
}
func @few_terms(%x: tensor<1x3x128x128xf32>) -> tensor<1x16x64x64xf32> {
  %u = read @u : tensor<16x3x1x1xf32>
  %y = conv2d %x, %u {stride = [2, 2]}
  return %y
}
func @few(%x: tensor<3x40xf32>) -> tensor<3x24xf32> {
  %w = read @w : tensor<24x40xf32>
  %y = linear %x, %w
  return %y
}
func @convolution(%x: tensor<1x8x7x7xf32>) -> tensor<1x12x7x7xf32> {
  %v = read @v : tensor<12x8x3x3xf32>
  %y = conv2d %x, %v {padding = [1, 1]}
  return %y
}
func @step(%x: tensor<50x40xf32>) -> tensor<50x24xf32> updates (@s = %t) {
  %s = read @s : tensor<24x40xf32>
  %y = linear %x, %s
  %t = mul %s {other = 2.0}
  return %y, %t
}
