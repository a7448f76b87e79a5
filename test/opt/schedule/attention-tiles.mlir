// Attention of 16-bit floats: a block takes a tile of queries through tiles of keys, and both products are for the matrix unit. Of a
// causal mask the tiles end with the last key that a query of the block sees. Many blocks are of 128 queries.
// RUN: mlgc opt %s --to=gpu-loops | FileCheck %s
// RUN: mlgc explain schedule %s --target=cuda | FileCheck %s --check-prefix=WHY
// RUN: mlgc explain schedule %s --target=cuda --numerics=exact | FileCheck %s --check-prefix=EXACT
// WHY: attention-tiles at %b12_b13: 140 iterations of %i6 share the keys and values of 140 iterations of %j: 64 of them a block, which goes through tiles of 64 keys
// WHY: attention-tiles at %b5: 512 iterations of %i5 share the keys and values of 512 iterations of %j: 128 of them a block, which goes through tiles of 64 keys
// WHY: attention-tiles does not apply: 12 rows are less than 16
// WHY: attention-tiles does not apply: a query, key or value has more than 128 elements
// EXACT: attention-tiles does not apply: the matrix unit rounds sums otherwise, which the numerics do not admit
// CHECK-LABEL: func @causal.0.scaled_dot_product_attention(
// CHECK: %y_flat = buffer_view %y : buffer<6x140x64xbf16, argument>
// CHECK: for [0, 6] (%b12_b13: index) attributes {kind = "parallel", schedule.strategy = "attention-tiles"} {
// CHECK-NEXT: for [0, 3] (%i6_o: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [64*%i6_o, min(140, 64*%i6_o + 64)] (%i6: index) attributes {kind = "matrix", stages = 2} {
// CHECK-NEXT: %o = alloc : buffer<64xf32, thread>
// CHECK: %2, %3 = for [0, max(0, min(140, 64*%i6_o + 64)) ceildiv 64] (%j_o: index, %4 = %0, %5 = %1) {
// CHECK-NEXT: %s = alloc : buffer<64xf32, thread>
// CHECK-NEXT: %p = alloc : buffer<64xbf16, thread>
// CHECK-NEXT: %6 = for [64*%j_o, min(140, 64*%j_o + 64)] (%j_t: index, %7 = %4) {
// CHECK: %9 = for [0, 64] (%d: index, %10 = %8) {
// CHECK: %10 = exp %9 : f32
// CHECK: %12 = for [64*%j_o, min(140, 64*%j_o + 64)] (%j3_t: index, %13 = %11) {
// CHECK: %16 = exp %15 : f32
// CHECK: %14 = for [64*%j_o, min(140, 64*%j_o + 64)] (%j6_t: index, %15 = %13) {
// CHECK: for [0, 64] (%f: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
// CHECK-LABEL: func @many.0.scaled_dot_product_attention(
// CHECK: for [0, 80] (%b5: index) attributes {kind = "parallel", schedule.strategy = "attention-tiles"} {
// CHECK-NEXT: for [0, 4] (%i5_o: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [128*%i5_o, 128*%i5_o + 128] (%i5: index) attributes {kind = "matrix", stages = 2} {
func @causal(%q: tensor<2x3x140x64xbf16>, %k: tensor<2x3x140x64xbf16>, %v: tensor<2x3x140x64xbf16>) -> tensor<2x3x140x64xbf16> {
  %0 = scaled_dot_product_attention %q, %k, %v {is_causal = true} : tensor<2x3x140x64xbf16>
  return %0
}
func @many(%q: tensor<80x512x64xf16>, %k: tensor<80x512x64xf16>, %v: tensor<80x512x64xf16>, %m: tensor<512x512xi1>) -> tensor<80x512x64xf16> {
  %0 = scaled_dot_product_attention %q, %k, %v, %m : tensor<80x512x64xf16>
  return %0
}
func @few(%q: tensor<2x12x64xbf16>, %k: tensor<2x70x64xbf16>, %v: tensor<2x70x64xbf16>) -> tensor<2x12x64xbf16> {
  %0 = scaled_dot_product_attention %q, %k, %v : tensor<2x12x64xbf16>
  return %0
}
func @wide(%q: tensor<2x64x160xbf16>, %k: tensor<2x70x160xbf16>, %v: tensor<2x70x160xbf16>) -> tensor<2x64x160xbf16> {
  %0 = scaled_dot_product_attention %q, %k, %v : tensor<2x64x160xbf16>
  return %0
}
func @narrow(%q: tensor<2x64x32xf32>, %k: tensor<2x70x32xf32>, %v: tensor<2x70x32xf32>) -> tensor<2x64x32xf32> {
  %0 = scaled_dot_product_attention %q, %k, %v : tensor<2x64x32xf32>
  return %0
}
