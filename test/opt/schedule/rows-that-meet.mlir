// Rows of a tile that lie a multiple of 4 KiB apart meet in one set of the first cache, so they are copied to rows that
// have a line between them, once for all strips of columns. Half as far apart, for few columns or six rows in registers,
// they are read where they are.
// RUN: mlgc opt %s -O2 --to=loops --machine=x86-64-v4 | FileCheck %s
// RUN: mlgc opt %s -O2 --to=loops --machine=x86-64-v3 | FileCheck %s --check-prefix=SIX
// Where they meet, how many a set holds and how long a line is are the machine's: sets that recur each 2 KiB meet the
// other function's rows too, sets of 4 lines six rows, and the gap is a line.
// RUN: mlgc opt %s -O2 --to=loops --machine=x86-64-v4,l1_ways=24 | FileCheck %s --check-prefix=NEAR
// RUN: mlgc opt %s -O2 --to=loops --machine=x86-64-v3,l1_bytes=16384,l1_ways=4 | FileCheck %s --check-prefix=FEW
// RUN: mlgc opt %s -O2 --to=loops --machine=x86-64-v4,line_bytes=128 | FileCheck %s --check-prefix=LINE
// CHECK: func @f.0.linear(
// CHECK-NEXT: %packed = alloc : buffer<24x1040xf32, arena>
// CHECK-NEXT: for [0, 24] (%[[I:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, 1024] (%[[K:.*]]: index) attributes {kind = "vector", lanes = 64, schedule.strategy = "elementwise-lanes"} {
// CHECK-NEXT: %0 = load %x[%[[I]], %[[K]]] : f32
// CHECK-NEXT: store %0, %packed[%[[I]], %[[K]]]
// CHECK: for [0, 16] (%[[P:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, 2] (%[[R:.*]]: index) {
// CHECK: load %packed[12*%[[R]] + 11, %{{.*}}] : f32
// CHECK-NOT: %packed
// SIX: func @f.0.linear(
// SIX-NOT: %packed
// NEAR: func @half.0.linear(
// NEAR-NEXT: %packed = alloc : buffer<24x528xf32, arena>
// FEW: func @f.0.linear(
// FEW-NEXT: %packed = alloc : buffer<24x1040xf32, arena>
// LINE: func @f.0.linear(
// LINE-NEXT: %packed = alloc : buffer<24x1056xf32, arena>
weight @w : tensor<256x1024xf32>
weight @u : tensor<256x512xf32>
weight @v : tensor<64x1024xf32>
func @f(%x: tensor<24x1024xf32>) -> tensor<24x256xf32> {
  %w = read @w : tensor<256x1024xf32>
  %y = linear %x, %w
  return %y
}
func @half(%x: tensor<24x512xf32>) -> tensor<24x256xf32> {
  %w = read @u : tensor<256x512xf32>
  %y = linear %x, %w
  return %y
}
func @few(%x: tensor<24x1024xf32>) -> tensor<24x64xf32> {
  %w = read @v : tensor<64x1024xf32>
  %y = linear %x, %w
  return %y
}
