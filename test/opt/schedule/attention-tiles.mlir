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
// CHECK-NEXT: %x_3_flat = buffer_view %x_3 : buffer<6x140x64xbf16, argument>
// CHECK-NEXT: %x_2_flat = buffer_view %x_2 : buffer<6x140x64xbf16, argument>
// CHECK-NEXT: %x_flat = buffer_view %x : buffer<6x140x64xbf16, argument>
// CHECK-NEXT: for [0, 6] (%b12_b13: index) attributes {kind = "parallel", schedule.strategy = "attention-tiles"} {
// CHECK-NEXT: for [0, 3] (%i6_o: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [64*%i6_o, min(140, 64*%i6_o + 64)] (%i6: index) attributes {kind = "matrix", stages = 2} {
// CHECK-NEXT: %o = alloc : buffer<64xf32, thread>
// CHECK-NEXT: %0 = literal {dtype = f32, value = -inf} : f32
// CHECK-NEXT: %1 = literal {dtype = f32, value = 0.0} : f32
// CHECK-NEXT: for [0, 64] (%f_z: index) {
// CHECK-NEXT: store %1, %o[%f_z]
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: %2, %3 = for [0, max(0, min(140, 64*%i6_o + 64)) ceildiv 64] (%j_o: index, %4 = %0, %5 = %1) {
// CHECK-NEXT: %s = alloc : buffer<64xf32, thread>
// CHECK-NEXT: %p = alloc : buffer<64xbf16, thread>
// CHECK-NEXT: %6 = for [64*%j_o, min(140, 64*%j_o + 64)] (%j_t: index, %7 = %4) {
// CHECK-NEXT: %8 = literal {dtype = f32, value = 0.0} : f32
// CHECK-NEXT: %9 = for [0, 64] (%d: index, %10 = %8) {
// CHECK-NEXT: %11 = load %x_flat[%b12_b13, %i6, %d] : bf16
// CHECK-NEXT: %12 = cast %11 {dtype = f32} : f32
// CHECK-NEXT: %13 = load %x_2_flat[%b12_b13, %j_t, %d] : bf16
// CHECK-NEXT: %14 = cast %13 {dtype = f32} : f32
// CHECK-NEXT: %_ = fma %12, %14, %10 : f32
// CHECK-NEXT: yield %_
// CHECK-NEXT: } : f32
// CHECK-NEXT: %10 = literal {dtype = f32, value = 0.125} : f32
// CHECK-NEXT: %11 = mul %9, %10 : f32
// CHECK-NEXT: %12 = guard [%i6 - %j_t] : i1
// CHECK-NEXT: %13 = literal {dtype = f32, value = -inf} : f32
// CHECK-NEXT: %14 = where %12, %11, %13 : f32
// CHECK-NEXT: store %14, %s[%j_t - 64*%j_o]
// CHECK-NEXT: %15 = maximum %14, %7 : f32
// CHECK-NEXT: yield %15
// CHECK-NEXT: } : f32
// CHECK-NEXT: %7 = eq %6, %0 : i1
// CHECK-NEXT: %8 = where %7, %1, %6 : f32
// CHECK-NEXT: %9 = sub %4, %8 : f32
// CHECK-NEXT: %10 = exp %9 : f32
// CHECK-NEXT: %11 = mul %5, %10 : f32
// CHECK-NEXT: %12 = for [64*%j_o, min(140, 64*%j_o + 64)] (%j3_t: index, %13 = %11) {
// CHECK-NEXT: %14 = load %s[%j3_t - 64*%j_o] : f32
// CHECK-NEXT: %15 = sub %14, %8 : f32
// CHECK-NEXT: %16 = exp %15 : f32
// CHECK-NEXT: %17 = cast %16 {dtype = bf16} : bf16
// CHECK-NEXT: store %17, %p[%j3_t - 64*%j_o]
// CHECK-NEXT: %18 = add %13, %16 : f32
// CHECK-NEXT: yield %18
// CHECK-NEXT: } : f32
// CHECK-NEXT: for [0, 64] (%f_t: index) {
// CHECK-NEXT: %13 = literal {dtype = f32, value = 0.0} : f32
// CHECK-NEXT: %14 = for [64*%j_o, min(140, 64*%j_o + 64)] (%j6_t: index, %15 = %13) {
// CHECK-NEXT: %16 = load %p[%j6_t - 64*%j_o] : bf16
// CHECK-NEXT: %17 = cast %16 {dtype = f32} : f32
// CHECK-NEXT: %18 = load %x_3_flat[%b12_b13, %j6_t, %f_t] : bf16
// CHECK-NEXT: %19 = cast %18 {dtype = f32} : f32
// CHECK-NEXT: %_ = fma %17, %19, %15 : f32
// CHECK-NEXT: yield %_
// CHECK-NEXT: } : f32
// CHECK-NEXT: %15 = load %o[%f_t] : f32
// CHECK-NEXT: %16 = mul %15, %10 : f32
// CHECK-NEXT: %17 = add %16, %14 : f32
// CHECK-NEXT: store %17, %o[%f_t]
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: yield %6, %12
// CHECK-NEXT: } : f32, f32
// CHECK-NEXT: %4 = literal {dtype = f32, value = 1.0} : f32
// CHECK-NEXT: %5 = eq %3, %1 : i1
// CHECK-NEXT: %6 = where %5, %4, %3 : f32
// CHECK-NEXT: for [0, 64] (%f: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
// CHECK-NEXT: %7 = load %o[%f] : f32
// CHECK-NEXT: %8 = div %7, %6 : f32
// CHECK-NEXT: %9 = cast %8 {dtype = bf16} : bf16
// CHECK-NEXT: store %9, %y_flat[%b12_b13, %i6, %f]
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: yield
// CHECK-NEXT: }
// CHECK-NEXT: yield
// CHECK-NEXT: }
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
