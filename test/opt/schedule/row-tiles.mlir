// Rows that do more than one product: tiles of them, in which each product, and what stands between, is a nest of its
// own. What columns read is packed once for all tiles, strips that a causal mask decides have no sums, rows that fill no
// tile begin in another one; of few heads the tiles are on threads.
// RUN: mlgc opt %s --to=loops -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=causal --dim=S=0 --random-inputs=1 --output=@%t.0.npz
// RUN: mlgc eval %s --function=causal --dim=S=0 --random-inputs=1 --backend=cpp --expect=@%t.0.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=causal --dim=S=49 --random-inputs=1 --output=@%t.1.npz
// RUN: mlgc eval %s --function=causal --dim=S=49 --random-inputs=1 --backend=cpp --expect=@%t.1.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %s --function=few --random-inputs=1 --output=@%t.2.npz
// RUN: mlgc eval %s --function=few --random-inputs=1 --backend=cpp --expect=@%t.2.npz | FileCheck %s --check-prefix=SAME
// SAME: result0: agrees
// CHECK-LABEL: func @causal.0.
// CHECK: for [0, 9] (%{{.*}}: index) attributes {kind = "parallel"} {
// CHECK: %packed = alloc : buffer<[S ceildiv 64]x16x64xf32, thread>
// CHECK: for [0, S ceildiv 24] (%[[T:.*]]: index) attributes {schedule.strategy = "row-tiles"} {
// CHECK-NEXT: alloc : buffer<24x[S]xf32, thread>
// CHECK-NEXT: %p = alloc : buffer<24x[S]xf32, thread>
// CHECK: for [0, min((3*%[[T]] + 2) floordiv 8 + 1, S ceildiv 64)] (%[[O:.*]]: index) {
// CHECK: where
// CHECK: for [(3*%[[T]] + 2) floordiv 8 + 1, S ceildiv 64]
// CHECK-NOT: where
// CHECK: combine = ["max"]
// CHECK: exp
// CHECK: load %p[
// CHECK-LABEL: func @few.0.
// CHECK: for [0, 2] (%{{.*}}: index) {
// CHECK-NEXT: for [0, 2] (%[[T:.*]]: index) attributes {kind = "parallel", schedule.strategy = "row-tiles"} {
// CHECK-NEXT: alloc : buffer<72x100xf32, thread>
// CHECK: %packed
func @causal(%q: tensor<9x[S]x16xf32>, %k: tensor<9x[S]x16xf32>, %v: tensor<9x[S]x16xf32>) -> tensor<9x[S]x16xf32> {
  %0 = scaled_dot_product_attention %q, %k, %v {is_causal = true}
  return %0
}
func @few(%q: tensor<2x100x16xf32>, %k: tensor<2x100x16xf32>, %v: tensor<2x100x16xf32>) -> tensor<2x100x16xf32> {
  %0 = scaled_dot_product_attention %q, %k, %v
  return %0
}
