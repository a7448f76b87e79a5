// A transposition runs in tiles: rows of what it reads go to scratch whole, and are taken across from there. A tile is
// staged where one load reads it, in loops of a constant size.
// RUN: mlgc opt %s --to=loops > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --dim=B=70 --dim=C=130 --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --dim=B=70 --dim=C=130 --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc opt %s --fuse --lower-to-loops > %t.plain.mlir
// RUN: %exits 1 mlgc opt %t.plain.mlir --pass-pipeline='stage{function=f.0.permute_mul loop=b0 buffer=x}' 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %exits 1 mlgc opt %t.plain.mlir --pass-pipeline='stage{function=f.0.permute_mul loop=b0 buffer=z}' 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: for [0, -((-C) floordiv 64)] (%[[JO:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, -((-B) floordiv 64)] (%[[IO:.*]]: index) {
// CHECK-NEXT: %[[T:.*]] = alloc : buffer<64x65xf32, thread>
// CHECK-NEXT: for [64*%[[IO]], min(64*%[[IO]] + 64, B)] (%[[I:.*]]: index) {
// CHECK-NEXT: for [64*%[[JO]], min(64*%[[JO]] + 64, C)] (%[[J:.*]]: index) attributes {kind = "vector", lanes = 64} {
// CHECK-NEXT: %[[V:.*]] = load %x[%[[I]], %[[J]]] : f32
// CHECK-NEXT: store %[[V]], %[[T]][%[[I]] - 64*%[[IO]], %[[J]] - 64*%[[JO]]]
// CHECK: load %[[T]][
// SAME: result0: agrees
// REFUSED: is refused: the loops are no tiles of a constant size
// NONE: is refused: `z` is read at 0 places, not at one
func @f(%x: tensor<[B]x[C]xf32>, %y: tensor<[C]x[B]xf32>) -> tensor<[C]x[B]xf32> {
  %0 = permute %x {dims = [1, 0]}
  %1 = mul %0, %y
  return %1
}
