// Backward of attention by tiles of queries: the products of a tile stand in nests of their own, packed in front of all
// tiles; the steps of a softmax are one loop over rows; gradients of keys and values are sums in memory, which tiles add
// to, in f32 where that is a short chain, in f64 where nobody knows, and under exact numerics term by term. Strips of
// keys that a causal mask hides have no products of two of the five.
// RUN: mlgc grad %s --function=causal --seed -o %t.causal.mlir
// RUN: mlgc opt %t.causal.mlir --pass-pipeline='inline,fuse{tile-bytes=1},lower-to-loops,schedule' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %t.causal.mlir --function=causal_grad --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=causal_grad --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %t.mlir --function=causal_grad --random-inputs=1 --backend=cpp --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc opt %t.causal.mlir --numerics=exact --pass-pipeline='inline,fuse{tile-bytes=1},lower-to-loops,schedule' -o %t.exact.mlir
// RUN: FileCheck %s --check-prefix=EXACT --input-file=%t.exact.mlir
// RUN: mlgc opt %t.causal.mlir --numerics=exact --pass-pipeline='inline,fuse{tile-bytes=0},lower-to-loops,schedule' -o %t.apart.mlir
// RUN: mlgc eval %t.exact.mlir --function=causal_grad --random-inputs=1 --backend=cpp --output=@%t.exact.npz
// RUN: mlgc eval %t.apart.mlir --function=causal_grad --random-inputs=1 --backend=cpp --output=@%t.apart.npz
// RUN: cmp %t.exact.npz %t.apart.npz
// RUN: mlgc grad %s --function=masked --seed --wrt=q,k,v -o %t.masked.mlir
// RUN: mlgc opt %t.masked.mlir --to=loops -o %t.mlir
// RUN: FileCheck %s --check-prefix=SIZES --input-file=%t.mlir
// RUN: mlgc eval %t.masked.mlir --function=masked_grad --dim=S=0 --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=masked_grad --dim=S=0 --random-inputs=1 --backend=cpp --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: mlgc eval %t.masked.mlir --function=masked_grad --dim=S=101 --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=masked_grad --dim=S=101 --random-inputs=1 --backend=cpp --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// SAME-COUNT-4: agrees
// CHECK-LABEL: func @causal_grad.2.
// CHECK: for [0, 9] (%[[H:.*]]: index) attributes {kind = "parallel"} {
// CHECK-NEXT: %sums = alloc : buffer<200x8xf32, thread>
// CHECK: %packed = alloc : buffer<7x8x32xf32, thread>
// CHECK: %packed_1 = alloc : buffer<7x8x32xf32, thread>
// CHECK: for [0, 2] (%[[T:.*]]: index) attributes {schedule.strategy = "fused-row-tiles"} {
// CHECK-NEXT: alloc : buffer<108x200xf32, thread>
// CHECK-NEXT: alloc : buffer<108x200xf32, thread>
// CHECK-NEXT: for [0, (3*%[[T]] + 2) floordiv 8 + 3*%[[T]] + 4] (%{{.*}}: index) {
// CHECK: for [(3*%[[T]] + 2) floordiv 8 + 3*%[[T]] + 4, 7] (%{{.*}}: index) {
// CHECK-NOT: fma
// CHECK: for [0, (3*%[[T]] + 2) floordiv 8 + 3*%[[T]] + 4] (%{{.*}}: index) {
// CHECK: for [(3*%[[T]] + 2) floordiv 8 + 3*%[[T]] + 4, 7] (%{{.*}}: index) {
// CHECK-NOT: fma
// CHECK: for [108*%[[T]], min(108*%[[T]] + 108, 200)] (%{{.*}}: index) {
// CHECK-NEXT: alloc : buffer<1xf32, thread>
// CHECK-NEXT: alloc : buffer<1x200xf32, thread>
// CHECK-NEXT: alloc : buffer<1xf32, thread>
// CHECK: combine = ["max"]
// CHECK: exp
// CHECK: combine = ["add"]
// CHECK: div
// CHECK: for [108*%[[T]], min(108*%[[T]] + 108, 200)] {{.*}} attributes {schedule.strategy = "outer-product-tiles"} {
// CHECK: %[[OLD:.*]] = load %sums[
// CHECK-NEXT: %[[NEW:.*]] = add %[[OLD]], {{.*}} : f32
// CHECK-NEXT: store %[[NEW]], %sums[
// EXACT-LABEL: func @causal_grad.2.
// EXACT: %sums = alloc : buffer<200x8xf64, thread>
// EXACT: fused-row-tiles
// EXACT: %[[OLD:.*]] = load %sums[{{.*}}] : f64
// EXACT: for [108*%{{.*}}, min(108*%{{.*}} + 108, 200)] (%{{.*}}: index, %{{.*}} = %[[OLD]],
// SIZES-LABEL: func @masked_grad.2.
// SIZES: %sums = alloc : buffer<[S]x8xf64, thread>
// SIZES: for [0, S ceildiv 120] (%{{.*}}: index) attributes {schedule.strategy = "fused-row-tiles"} {
// SIZES-NEXT: alloc : buffer<120x[S]xf32, thread>
// SIZES-NEXT: alloc : buffer<120x[S]xf32, thread>
// SIZES-NEXT: for
func @causal(%q: tensor<9x200x8xf32>, %k: tensor<9x200x8xf32>, %v: tensor<9x200x8xf32>) -> tensor<9x200x8xf32> {
  %0 = scaled_dot_product_attention %q, %k, %v {is_causal = true}
  return %0
}
func @masked(%q: tensor<9x[S]x8xf32>, %k: tensor<9x[S]x8xf32>, %v: tensor<9x[S]x8xf32>, %mask: tensor<[S]x[S]xi1>) -> tensor<9x[S]x8xf32> {
  %0 = scaled_dot_product_attention %q, %k, %v, %mask
  return %0
}
