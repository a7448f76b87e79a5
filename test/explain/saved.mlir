// Which values are saved for gradients, and which are computed again.
// RUN: mlgc grad %s --of=loss --wrt=w -o %t.mlir && mlgc explain saved %t.mlir --results=1 --recompute=none | FileCheck %s --check-prefix=NONE
// NONE:      saved for backward:
// NONE-NEXT:  %h  linear  16*B bytes  {{.*}}.mlir:3:10
// NONE-NOT:  recomputed
// RUN: mlgc explain saved %t.mlir --results=1 --recompute=all --format=json | FileCheck %s --check-prefix=ALL
// ALL:      "function": "f_grad"
// ALL:      "saved": [],
// ALL-NEXT: "recomputed": [
// ALL:      "value": "h",
// ALL-NEXT: "op": "linear",
// RUN: %exits 2 mlgc explain saved %t.mlir --results=7 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: mlgc: error: --results: @f_grad has 2
func @f(%x: tensor<[B]x3xf32>, %w: tensor<4x3xf32>) -> tensor<f32> {
  %h = linear %x, %w : tensor<[B]x4xf32>
  %a = sin %h : tensor<[B]x4xf32>
  %loss = sum %a : tensor<f32>
  return %loss
}
