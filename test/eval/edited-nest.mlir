// A printed nest is edited by hand: the register tile goes from 6x4 to 8x3, the outer loop from serial to parallel. It
// verifies, and computes the same bits, as the plain nest does too. A tile that leaves its registers is refused.
// RUN: mlgc opt %S/../../ir-samples/loop_register_tile.mlir -o %t.mlir
// RUN: sed -e 's/6x4x/8x3x/; s/\[0, 6\]/[0, 8]/; s/\[0, 4\]/[0, 3]/; s/6\*%%io/8*%%io/g; s/4\*%%jo/3*%%jo/g' -e 's/ceildiv 6/ceildiv 8/; s/ceildiv 4/ceildiv 3/' -e 's/(%%io: index)/(%%io: index) attributes {kind = "parallel"}/' %t.mlir > %t.edited.mlir
// RUN: mlgc opt %t.edited.mlir | FileCheck %s
// RUN: mlgc eval %t.mlir --dim=M=13 --dim=K=5 --dim=N=11 --random-inputs=3 --output=@%t.npz
// RUN: mlgc eval %t.edited.mlir --dim=M=13 --dim=K=5 --dim=N=11 --random-inputs=3 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %S/../../ir-samples/loop_matmul.mlir --dim=M=13 --dim=K=5 --dim=N=11 --random-inputs=3 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: sed -e '0,/\[0, 8\]/s//[0, 9]/' %t.edited.mlir | %exits 1 mlgc opt - 2>&1 | FileCheck %s --check-prefix=REFUSED
// CHECK: for [0, M ceildiv 8] (%io: index) attributes {kind = "parallel"} {
// CHECK: %sums = alloc : buffer<8x3xf32, register>
// CHECK: store {{.*}}%c{{.*}}[%i + 8*%io, %j + 3*%jo]
// SAME: c: agrees
// REFUSED: error: subscript 0 of `sums` is %i, which is not shown to lie within a size of 8
