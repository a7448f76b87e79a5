// Which loop of a nest threads share. Few images of few rows: the images, since the rows would be given to threads anew
// for each image and tile of channels. Sums at places that data say: blocks of columns, each with all rows, which come
// in order; few of them stay with one thread.
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=images --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=images --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=sums --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=COMPILED
// SAME: y: agrees
// COMPILED: y by cpp: agrees
//
// CHECK-LABEL: func @images.0.conv2d(
// CHECK: for [0, 4] (%n: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, 2] (%o_o: index) {
// CHECK-NEXT: for [0, 5] (%h: index) {
//
// CHECK-LABEL: func @sums.0.scatter_add(
// CHECK: for [0, 8] (%i1_o: index) attributes {kind = "parallel", schedule.strategy = "elementwise-lanes"} {
// CHECK-NEXT: for [0, 79] (%i0: index) {
// CHECK-NEXT: for [192*%i1_o, min(1408, 192*%i1_o + 192)] (%i1: index) attributes {kind = "vector", lanes = 64} {
//
// CHECK-LABEL: func @few.0.scatter_add(
// CHECK: for [0, 9] (%i0: index) {
// CHECK-NEXT: for [0, 108] (%i1: index) attributes {kind = "vector", lanes = 16, schedule.strategy = "elementwise-lanes"} {
func @images(%x: tensor<4x32x5x8xf32>, %w: tensor<32x32x3x3xf32>) -> tensor<4x32x5x8xf32> {
  %y = conv2d %x, %w {padding = [1, 1]}
  return %y
}
func @sums(%x: tensor<241x1408xf32>, %i: tensor<79x1408xi64>, %u: tensor<79x1408xf32>) -> tensor<241x1408xf32> {
  %y = scatter_add %x, %i, %u {dim = 0}
  return %y
}
func @few(%x: tensor<21x108xf32>, %i: tensor<9x108xi64>, %u: tensor<9x108xf32>) -> tensor<21x108xf32> {
  %y = scatter_add %x, %i, %u {dim = 0}
  return %y
}
