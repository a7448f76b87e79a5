// A transposition goes through squares of registers, which are written row by row, transposed in place, and read row by
// row. A tile is staged in memory where one load reads it, in loops of a constant size.
// RUN: mlgc opt %s --to=loops > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --dim=B=70 --dim=C=130 --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --dim=B=70 --dim=C=130 --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc opt %s --fuse --lower-to-loops > %t.plain.mlir
// RUN: %exits 1 mlgc opt %t.plain.mlir --pass-pipeline='stage{function=f.0.permute_mul loop=b0 buffer=x}' 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %exits 1 mlgc opt %t.plain.mlir --pass-pipeline='stage{function=f.0.permute_mul loop=b0 buffer=z}' 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: for [0, (B floordiv 16) ceildiv 16] (%[[G:.*]]: index) attributes {kind = "parallel", schedule.strategy = "transpose-in-registers"} {
// CHECK-NEXT: for [0, C floordiv 16] (%[[I:.*]]: index) {
// CHECK-NEXT: for [16*%[[G]], min(16*%[[G]] + 16, B floordiv 16)] (%[[J:.*]]: index) {
// CHECK-NEXT: %[[T:.*]] = alloc : buffer<16x16xf32, register>
// CHECK-NEXT: for [0, 16] (%[[R:.*]]: index) attributes {kind = "unrolled"} {
// CHECK-NEXT: for [0, 16] (%[[L:.*]]: index) attributes {kind = "vector", lanes = 16} {
// CHECK-NEXT: %[[V:.*]] = load %x[%[[R]] + 16*%[[J]], %[[L]] + 16*%[[I]]] : f32
// CHECK-NEXT: store %[[V]], %[[T]][%[[R]], %[[L]]]
// CHECK: transpose_in_place %[[T]]{{$}}
// CHECK-NEXT: for [0, 16] (%[[Q:.*]]: index) attributes {kind = "unrolled"} {
// CHECK-NEXT: for [0, 16] (%[[M:.*]]: index) attributes {kind = "vector", lanes = 16} {
// CHECK-NEXT: load %[[T]][%[[Q]], %[[M]]] : f32
// SAME: result0: agrees
// REFUSED: .plain.mlir:3:5: error: `stage` of the loop over `%b0` in `@f.0.permute_mul` is refused: the loops are no tiles of a constant size
// NONE: .plain.mlir:3:5: error: `stage` of the loop over `%b0` in `@f.0.permute_mul` is refused: `z` is read at 0 places, not at one
func @f(%x: tensor<[B]x[C]xf32>, %y: tensor<[C]x[B]xf32>) -> tensor<[C]x[B]xf32> {
  %0 = permute %x {dims = [1, 0]}
  %1 = mul %0, %y
  return %1
}
