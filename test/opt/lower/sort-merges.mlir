// For a GPU tiles of a long row are sorted by blocks and merged in pairs of passes, from one buffer to the other and back.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops{device=gpu}' | FileCheck %s
func @f(%x: tensor<[B]x40000xf32>) -> (tensor<[B]x40000xf32>, tensor<[B]x40000xi64>) {
  %y, %i = sort %x {dim = 1} : tensor<[B]x40000xf32>, tensor<[B]x40000xi64>
  return %y, %i
}
// CHECK: %sorted = alloc : buffer<[B]x40000xi64, arena>
// CHECK: %other = alloc : buffer<[B]x40000xi64, arena>
// CHECK: for [0, 10] (%t: index) attributes {kind = "parallel"} {
// CHECK-NEXT: %held = alloc : buffer<4608xi64, thread>
// CHECK: for [0, min(-4096*%t + 40000, 4096)] (%i: index) attributes {kind = "vector", lanes = 512} {
// CHECK: store %{{[0-9]+}}, %sorted[
// CHECK: for [0, 2] (%p: index) {
// CHECK: for [0, 79] (%t: index) attributes {kind = "parallel"} {
// CHECK: while (%low = %{{[0-9]+}}, %high = %{{[0-9]+}}) {
// CHECK: store %{{[0-9]+}}, %ends[%b0, %t]
// CHECK: for [0, 512] (%i: index) attributes {kind = "vector", lanes = 64} {
// CHECK: load %sorted[
// CHECK: for [0, min(-512*%t + 40000, 512)] (%i: index) attributes {kind = "vector", lanes = 64} {
// CHECK: store %{{[0-9]+}}, %other[
// CHECK: load %other[
// CHECK: store %{{[0-9]+}}, %sorted[
