// A module says what machine it is scheduled for: of 32 vector registers of 64 bytes a tile has 4 in a row and 6 rows, of
// 16 registers of 32 bytes 2 and 6; where columns are no whole strips, narrower ones are. A flag says it as well, and
// other numbers of a machine.
// RUN: mlgc opt %s --to=loops | FileCheck %s
// RUN: sed 's/module attributes {machine = "x86-64-v3"}/module/' %s > %t.none.mlir
// RUN: mlgc opt %t.none.mlir --to=loops | FileCheck %s --check-prefix=WIDE
// RUN: mlgc opt %t.none.mlir --to=loops --machine=x86-64-v3 | FileCheck %s
// RUN: mlgc opt %s --to=loops --machine=x86-64-v4 | FileCheck %s --check-prefixes=WIDE,STATED
// RUN: mlgc opt %s --to=loops --machine=x86-64-v3,vector_bytes=64,vector_registers=32 | FileCheck %s --check-prefixes=WIDE,NUMBERS
// RUN: sed 's/x86-64-v3/x86-64-v5/' %s > %t.bad.mlir
// RUN: %exits 1 mlgc opt %t.bad.mlir --to=loops 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: sed 's/x86-64-v3/h200/' %s > %t.gpu.mlir
// RUN: %exits 1 mlgc opt %t.gpu.mlir --to=loops 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: mlgc opt %t.gpu.mlir --to=gpu-loops | FileCheck %s --check-prefix=ON-GPU
// CHECK: module attributes {machine = "x86-64-v3"} {
// CHECK: func @f.0.matmul
// CHECK: for [{{.*}}] (%{{.*}}: index) attributes {kind = "vector", lanes = 16} {
// CHECK: %1, %2, %3, %4, %5, %6 = for [0, 96]
// CHECK: func @g.0.conv2d
// CHECK: for [{{.*}}] (%w: index) attributes {kind = "vector", lanes = 8} {
// CHECK: %1, %2, %3, %4, %5, %6, %7, %8 = for [0, 8] (%c: index,
// STATED: module attributes {machine = "x86-64-v4"} {
// NUMBERS: module attributes {machine = "x86-64-v3,vector_bytes=64,vector_registers=32"} {
// WIDE: func @f.0.matmul
// WIDE: for [{{.*}}] (%{{.*}}: index) attributes {kind = "vector", lanes = 64} {
// WIDE: %1, %2, %3, %4, %5, %6 = for [0, 96]
// BAD: error: there is no machine `x86-64-v5`; did you mean `x86-64-v2`?
// BAD: note: `mlgc explain target` lists the machines; a file of your own is named with a `/` or ends in `.json`
// GPU: error: `h200` is a machine of kind `gpu`, and what is compiled for needs one of kind `cpu`
// GPU: note: say another one with --machine, as x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-bf16
// ON-GPU: module attributes {machine = "h200"} {
module attributes {machine = "x86-64-v3"} {
  func @f(%x: tensor<96x96xf32>, %w: tensor<96x192xf32>) -> tensor<96x192xf32> {
    %y = matmul %x, %w
    return %y
  }
  func @g(%x: tensor<1x8x40x56xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<1x16x40x56xf32> {
    %y = conv2d %x, %w {padding = [1, 1]}
    return %y
  }
}
