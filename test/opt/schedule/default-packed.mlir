// What decides between lanes over columns, for which weights are packed, and lanes over the terms of a sum.
// RUN: mlgc opt %s --to=loops | FileCheck %s
//
// Many rows, short sums: weights are packed through squares of registers, for one strip of columns at a time.
// CHECK-LABEL: func @wide.0.linear_gelu(
// CHECK: for [0, 16] (%[[S:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: %packed = alloc : buffer<256x64xf32, thread>
// CHECK: alloc : buffer<16x16xf32, register>
// CHECK: store %{{.*}}, %packed[
// CHECK: for [64*%[[S]], 64*%[[S]] + 64] (%{{.*}}: index) attributes {kind = "vector", lanes = 64} {
// CHECK: load %packed[
// CHECK: erf
//
// Too few strips for threads: blocks of rows, each of which packs for itself.
// CHECK-LABEL: func @narrow.0.linear(
// CHECK: for [0, 8] (%{{.*}}: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, 2] (%{{.*}}: index) {
// CHECK-NEXT: %packed = alloc : buffer<256x64xf32, thread>
//
// Few rows, rows of any number, and long sums in few columns, which would leave lanes empty: what lanes over the terms
// read follows each other.
// CHECK-LABEL: func @few.0.linear(
// CHECK-NOT: packed
// CHECK: combine = ["add",
// CHECK-LABEL: func @any.0.linear(
// CHECK-NOT: packed
// CHECK: combine = ["add",
// CHECK-LABEL: func @long.0.linear(
// CHECK-NOT: packed
// CHECK: combine = ["add",
//
// Many rows and columns: long sums are packed as short ones are.
// CHECK-LABEL: func @many.0.linear(
// CHECK: %packed = alloc : buffer<1024x64xf32, thread>
// CHECK-NOT: combine
// CHECK: return
func @wide(%x: tensor<1024x256xf32>, %w: tensor<1024x256xf32>, %b: tensor<1024xf32>) -> tensor<1024x1024xf32> {
  %0 = linear %x, %w, %b
  %1 = gelu %0
  return %1
}
func @narrow(%x: tensor<1024x256xf32>, %w: tensor<128x256xf32>) -> tensor<1024x128xf32> {
  %0 = linear %x, %w
  return %0
}
func @few(%x: tensor<32x256xf32>, %w: tensor<1024x256xf32>) -> tensor<32x1024xf32> {
  %0 = linear %x, %w
  return %0
}
func @any(%x: tensor<[B]x256xf32>, %w: tensor<1024x256xf32>) -> tensor<[B]x1024xf32> {
  %0 = linear %x, %w
  return %0
}
func @long(%x: tensor<1024x1024xf32>, %w: tensor<20x1024xf32>) -> tensor<1024x20xf32> {
  %0 = linear %x, %w
  return %0
}
func @many(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = linear %x, %w
  return %0
}
