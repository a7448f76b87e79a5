// For a GPU: elements in tiles of a block, rows with lanes by their length, parts of columns one thread each, transposes in tiles that
// are all parallel. It is text, and computes the same.
// RUN: mlgc opt %s --to=gpu-loops > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=rows --dim=B=3 --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=rows --dim=B=3 --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=turned --dim=B=70 --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=turned --dim=B=70 --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: %exits 2 mlgc opt %s --pass-pipeline='fuse,lower-to-loops,schedule{device=metal}' 2>&1 | FileCheck %s --check-prefix=TARGET
func @elements(%x: tensor<[B]x4xf32>) -> tensor<[B]x4xf32> {
  %y = exp %x : tensor<[B]x4xf32>
  return %y
}
func @rows(%x: tensor<[B]x4096xf32>) -> tensor<[B]xf32> {
  %y = sum %x {dim = [1]} : tensor<[B]xf32>
  return %y
}
func @columns(%x: tensor<512x[B]xf32>) -> tensor<[B]xf32> {
  %y = sum %x {dim = [0]} : tensor<[B]xf32>
  return %y
}
func @turned(%x: tensor<[B]x100xf32>) -> tensor<100x[B]xf32> {
  %t = transpose %x {dim0 = 0, dim1 = 1} : tensor<100x[B]xf32>
  %y = exp %t : tensor<100x[B]xf32>
  return %y
}
// CHECK: for [0, B ceildiv 256] ({{.*}}) attributes {kind = "parallel", schedule.strategy = "block-per-tile"} {
// CHECK-NEXT: {{.*}} attributes {kind = "vector", lanes = 256, per_lane = 4} {
// CHECK: for [0, B] ({{.*}}) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
// CHECK: for [0, 4096] ({{.*}}) attributes {combine = ["add"], kind = "vector", lanes = 512, per_lane = 4, schedule.strategy = "threads-over-row"} {
// CHECK: for [0, 8] ({{.*}}) attributes {kind = "parallel", schedule.strategy = "thread-per-row"} {
// CHECK: for [0, B] ({{.*}}) attributes {kind = "parallel"} {
// CHECK: for [64*%i0_o, 64*%i0_o + 64] ({{.*}}) {
// CHECK: for [0, 2] ({{.*}}) attributes {kind = "parallel", schedule.strategy = "transpose-in-shared-memory"} {
// CHECK-NEXT: for [0, B ceildiv 64] ({{.*}}) attributes {kind = "parallel"} {
// CHECK-NEXT: %{{.*}} = alloc : buffer<64x65xf32, thread>
// CHECK-NEXT: for [64*%b1_o, min(64*%b1_o + 64, B)] (%b1_in: index) attributes {kind = "vector", lanes = 16} {
// CHECK-NEXT: for [64*%b0_o, min(100, 64*%b0_o + 64)] (%b0_in: index) attributes {kind = "vector", lanes = 16, per_lane = 4} {
// CHECK-NEXT: %0 = load %x[%b1_in, %b0_in] : f32
// CHECK-NEXT: store %0, %x_tile[%b1_in - 64*%b1_o, %b0_in - 64*%b0_o]
// SAME: agrees
// TARGET: mlgc: error: option `device` of pass `schedule`: expected cpu or gpu, found `metal`
