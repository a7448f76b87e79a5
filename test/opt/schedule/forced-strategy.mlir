// A strategy that is asked for comes first where it matches, also before others that stand further outside; where it
// matches nowhere in a function, the schedule is refused with its reason. Values stay.
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops,schedule{strategy=dot-product-tiles}' | FileCheck %s --check-prefix=DOT
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops,schedule{strategy=reduction-lanes}' -o %t.mlir
// RUN: FileCheck %s --check-prefix=LANES --input-file=%t.mlir
// RUN: mlgc eval %s --dim=B=100 --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --dim=B=100 --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: %exits 1 mlgc opt %s --pass-pipeline='fuse,lower-to-loops,schedule{strategy=transpose-in-registers}' 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: %exits 1 mlgc opt %s --pass-pipeline='fuse,lower-to-loops,schedule{strategy=outer-product-tiles function=f.0.linear}' 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: %exits 2 mlgc opt %s --pass-pipeline='fuse,lower-to-loops,schedule{strategy=dot-produkt-tiles}' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %exits 2 mlgc opt %s --pass-pipeline='fuse,lower-to-loops,schedule{device=gpu strategy=dot-product-tiles}' 2>&1 | FileCheck %s --check-prefix=CUDA
// RUN: %exits 2 mlgc opt %s --pass-pipeline='fuse,lower-to-loops,schedule{function=g}' 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: mlgc opt %s --pass-pipeline='fuse,lower-to-loops,schedule{device=gpu strategy=block-per-row}' | FileCheck %s --check-prefix=BLOCK
func @f(%x: tensor<[B]x256xf32>, %w: tensor<40x256xf32>) -> tensor<[B]x40xf32> {
  %y = linear %x, %w : tensor<[B]x40xf32>
  return %y
}
// DOT: attributes {combine = ["add", {{.*}}], kind = "vector", lanes = 16, schedule.strategy = "dot-product-tiles"} {
// LANES-NOT: dot-product-tiles
// LANES: for [0, 256] (%{{.*}}: index, %{{.*}}) attributes {combine = ["add"], kind = "vector", lanes = 64, schedule.strategy = "reduction-lanes"} {
// LANES-NOT: dot-product-tiles
// SAME: y: agrees
// NOWHERE: error: strategy `transpose-in-registers` applies nowhere in the nest over `%b0` of `@f.0.linear`: no two innermost loops of its own read along one of them and write along the other
// NOWHERE-NEXT: note: name the functions that shall have it with `function`, or leave the choice to the schedule
// COLUMNS: error: strategy `outer-product-tiles` applies nowhere in the nest over `%b0` of `@f.0.linear`: at %k, along %n lanes would not read neighbours
// UNKNOWN: mlgc: error: option `strategy` of pass `schedule`: there is no strategy `dot-produkt-tiles` of a cpu; there are fused-row-tiles, row-tiles, split-reduction, split-contraction, transpose-in-registers, window-lanes, gathered-window-lanes, outer-product-tiles-of-outer-loop, outer-product-tiles, dot-product-per-lane, dot-product-groups, dot-product-tiles, blocked-column-reduction, lanes-over-product-columns, lanes-over-columns, elementwise-lanes, extremum-then-position, reduction-lanes
// UNKNOWN-NEXT: mlgc: note: did you mean `dot-product-tiles`?
// CUDA: mlgc: error: option `strategy` of pass `schedule`: there is no strategy `dot-product-tiles` of a gpu; there are split-reduction, transpose-in-shared-memory, attention-tiles, attention-parts, tensor-core-tiles, product-tiles, split-scan, scan-in-block, threads-over-columns, nest-per-loop, split-rows, windows-in-tiles, block-per-tile, thread-per-element, block-per-row, thread-per-row, extremum-then-position, threads-over-inner-row, threads-over-row
// CUDA-NEXT: mlgc: note: did you mean `product-tiles`?
// FUNCTION: mlgc: error: option `function` of pass `schedule`: there is no loop function `@g`
// BLOCK: for [0, B] (%b0: index) attributes {kind = "parallel", schedule.strategy = "block-per-row"} {
