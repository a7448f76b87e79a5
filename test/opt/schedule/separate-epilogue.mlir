// An epilogue of more than a few operations becomes a nest of its own, which reads the sums from scratch: its text is
// printed once, not for each row in registers; the panel's last tile is computed whole. A register tile of a transpose
// has as many rows as a vector has elements of 32 bits, and at least 8.
// RUN: mlgc opt %s -O2 --to=loops > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc opt %s -O2 --to=loops --machine=x86-64-v3 | FileCheck %s --check-prefix=NARROW
// RUN: mlgc eval %s -O2 --random-weights=1 --dim=B=70 --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s -O2 --random-weights=1 --dim=B=1 --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s -O2 --random-weights=1 --dim=B=0 --random-inputs=1 --backend=cpp --compare=interp | FileCheck %s --check-prefix=SAME
// CHECK: func @f.0.linear_gelu(
// CHECK: for [0, 16] (%[[P:[^ :]*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, B ceildiv 120] (%[[T:[^ :]*]]: index) {
// CHECK-NEXT: %sums = alloc : buffer<120x16xf32, thread>
// CHECK-NEXT: for [0, min(10, B floordiv 12 - 10*%[[T]])] (%[[I:[^ :]*]]: index) {
// CHECK-NEXT: for [16*%[[P]], 16*%[[P]] + 16] (%[[N:[^ :]*]]: index) attributes {kind = "vector", lanes = 16} {
// CHECK: store %{{.*}}, %sums[12*%[[I]] + 11, %[[N]] - 16*%[[P]]]
// CHECK: for [120*%[[T]], min(120*%[[T]] + 120, B)] (%[[R:[^ :]*]]: index) {
// CHECK-NEXT: for [16*%[[P]], min(16*%[[P]] + 16, 250)] (%[[C:[^ :]*]]: index) attributes {kind = "vector", lanes = 16} {
// CHECK-NEXT: load %sums[%[[R]] - 120*%[[T]], %[[C]] - 16*%[[P]]] : f32
// NARROW: func @f.1.permute_add(
// NARROW: alloc : buffer<8x8xf32, register>
// SAME: result0 by cpp: agrees
// SAME: result1 by cpp: agrees
module {
  weight @w : tensor<250x24xf32>
  func @f(%x: tensor<[B]x24xf32>, %i: tensor<70x33xf32>, %j: tensor<33x70xf32>) -> (tensor<[B]x250xf32>, tensor<33x70xf32>) where 0 <= B {
    %w = read @w
    %0 = linear %x, %w
    %1 = gelu %0
    %2 = permute %i {dims = [1, 0]}
    %3 = add %2, %j
    return %1, %3
  }
}
