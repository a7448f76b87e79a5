// Short rows, and rows that begin anywhere, are one loop over what is stored, at quotients and remainders of its index, and compute the same.
// Rows of whole pieces, and positions that data decide, keep their loops.
// RUN: mlgc opt %s --to=gpu-loops > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=padded --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=padded --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=joined --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=joined --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
func @padded(%x: tensor<5x7x33xf32>) -> tensor<5x9x37xf32> {
  %0 = pad %x {pad = [3, 1, 0, 2], value = 1.5}
  return %0
}
func @joined(%x: tensor<40x29xf32>, %z: tensor<40x12xf32>) -> tensor<40x41xf32> {
  %0 = cat %x, %z {dim = 1}
  return %0
}
func @whole(%x: tensor<50x256xf32>, %z: tensor<50x1xf32>) -> tensor<50x256xf32> {
  %0 = add %x, %z
  return %0
}
// CHECK-LABEL: func @padded.0.pad(
// CHECK: for [0, 2] (%d0_d1_d2_o: index) attributes {kind = "parallel", schedule.strategy = "block-per-tile"} {
// CHECK-NEXT: for [1024*%d0_d1_d2_o, min(1024*%d0_d1_d2_o + 1024, 1665)] (%d0_d1_d2: index) attributes {kind = "vector", lanes = 256, per_lane = 4} {
// CHECK-NEXT: guard [-((%d0_d1_d2 floordiv 37) mod 9) + 6, %d0_d1_d2 mod 37 - 3, -(%d0_d1_d2 mod 37) + 35] : i1
// CHECK: load %x[%d0_d1_d2 floordiv 333, (%d0_d1_d2 floordiv 37) mod 9, %d0_d1_d2 mod 37 - 3] : f32
// CHECK: store %1, %y_flat[%d0_d1_d2]
// CHECK-LABEL: func @joined.0.cat(
// CHECK: guard [-(%d0_o mod 41) + 28] : i1
// CHECK: load %x[%d0_o floordiv 41, %d0_o mod 41] : f32
// CHECK-LABEL: func @whole.0.add(
// CHECK-NOT: mod
// CHECK: return
// SAME: : agrees
