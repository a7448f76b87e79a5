// Attention by tiles that the device copies, as loop text that says how many queries a block has: two groups of warps, more tiles
// of keys than are in shared memory, lengths that fill no tile, terms and columns that fill no box, f16 with a mask, and a causal
// mask of more keys than queries. emulated_test.py runs what is emitted; attention.mlir has the rest.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
// CHECK-DAG: mlgc_tensor_attention<mlgc_matrix_f16, 2, 80, 128>::bring(ring, query_map, {128 * i5_o_2}, key_map, {0}, value_map, {0}, 7);
// CHECK-DAG: mlgc_tensor_attention<mlgc_matrix_bf16, 2, 128, 128>::multiply(ring, sums_2, totals, i6_first_2,
func @wide.0.scaled_dot_product_attention(%x: buffer<1x150x80xf16, argument>, %x_2: buffer<1x420x80xf16, argument>, %x_3: buffer<1x420x72xf16, argument>, %x_4: buffer<150x420xf16, argument>, %y: buffer<1x150x72xf16, argument>) {
  for [0, 2] (%i5_o: index) attributes {kind = "parallel"} {
    for [128*%i5_o, min(150, 128*%i5_o + 128)] (%i5: index) attributes {kind = "matrix", stages = 2} {
      %o = alloc : buffer<72xf32, thread>
      %0 = literal {dtype = f32, value = -inf} : f32
      %1 = literal {dtype = f32, value = 0.0} : f32
      for [0, 72] (%f_z: index) {
        store %1, %o[%f_z]
        yield
      }
      %2, %3 = for [0, 7] (%j_o: index, %4 = %0, %5 = %1) {
        %s = alloc : buffer<64xf32, thread>
        %p = alloc : buffer<64xf16, thread>
        %6 = for [64*%j_o, min(420, 64*%j_o + 64)] (%j_t: index, %7 = %4) {
          %8 = literal {dtype = f32, value = 0.0} : f32
          %9 = for [0, 80] (%d: index, %10 = %8) {
            %11 = load %x[0, %i5, %d] : f16
            %12 = cast %11 {dtype = f32} : f32
            %13 = load %x_2[0, %j_t, %d] : f16
            %14 = cast %13 {dtype = f32} : f32
            %_ = fma %12, %14, %10 : f32
            yield %_
          } : f32
          %10 = literal {dtype = f32, value = 0.11180339887498948} : f32
          %11 = mul %9, %10 : f32
          %12 = load %x_4[%i5, %j_t] : f16
          %13 = cast %12 {dtype = f32} : f32
          %14 = add %11, %13 : f32
          store %14, %s[%j_t - 64*%j_o]
          %15 = maximum %14, %7 : f32
          yield %15
        } : f32
        %7 = eq %6, %0 : i1
        %8 = where %7, %1, %6 : f32
        %9 = sub %4, %8 : f32
        %10 = exp %9 : f32
        %11 = mul %5, %10 : f32
        %12 = for [64*%j_o, min(420, 64*%j_o + 64)] (%j2_t: index, %13 = %11) {
          %14 = load %s[%j2_t - 64*%j_o] : f32
          %15 = sub %14, %8 : f32
          %16 = exp %15 : f32
          %17 = cast %16 {dtype = f16} : f16
          store %17, %p[%j2_t - 64*%j_o]
          %18 = add %13, %16 : f32
          yield %18
        } : f32
        for [0, 72] (%f_t: index) {
          %13 = literal {dtype = f32, value = 0.0} : f32
          %14 = for [64*%j_o, min(420, 64*%j_o + 64)] (%j5_t: index, %15 = %13) {
            %16 = load %p[%j5_t - 64*%j_o] : f16
            %17 = cast %16 {dtype = f32} : f32
            %18 = load %x_3[0, %j5_t, %f_t] : f16
            %19 = cast %18 {dtype = f32} : f32
            %_ = fma %17, %19, %15 : f32
            yield %_
          } : f32
          %15 = load %o[%f_t] : f32
          %16 = mul %15, %10 : f32
          %17 = add %16, %14 : f32
          store %17, %o[%f_t]
          yield
        }
        yield %6, %12
      } : f32, f32
      %4 = literal {dtype = f32, value = 1.0} : f32
      %5 = eq %3, %1 : i1
      %6 = where %5, %4, %3 : f32
      for [0, 72] (%f: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
        %7 = load %o[%f] : f32
        %8 = div %7, %6 : f32
        %9 = cast %8 {dtype = f16} : f16
        store %9, %y[0, %i5, %f]
        yield
      }
      yield
    }
    yield
  }
  return
}
func @later.0.scaled_dot_product_attention(%x: buffer<2x150x128xbf16, argument>, %x_2: buffer<2x420x128xbf16, argument>, %x_3: buffer<2x420x128xbf16, argument>, %y: buffer<2x150x128xbf16, argument>) {
  for [0, 2] (%b6: index) attributes {kind = "parallel"} {
    for [0, 2] (%i6_o: index) attributes {kind = "parallel"} {
      for [128*%i6_o, min(150, 128*%i6_o + 128)] (%i6: index) attributes {kind = "matrix", stages = 2} {
        %o = alloc : buffer<128xf32, thread>
        %0 = literal {dtype = f32, value = -inf} : f32
        %1 = literal {dtype = f32, value = 0.0} : f32
        for [0, 128] (%f_z: index) {
          store %1, %o[%f_z]
          yield
        }
        %2, %3 = for [0, max(0, min(150, 128*%i6_o + 128)) ceildiv 64] (%j_o: index, %4 = %0, %5 = %1) {
          %s = alloc : buffer<64xf32, thread>
          %p = alloc : buffer<64xbf16, thread>
          %6 = for [64*%j_o, min(420, 64*%j_o + 64)] (%j_t: index, %7 = %4) {
            %8 = literal {dtype = f32, value = 0.0} : f32
            %9 = for [0, 128] (%d: index, %10 = %8) {
              %11 = load %x[%b6, %i6, %d] : bf16
              %12 = cast %11 {dtype = f32} : f32
              %13 = load %x_2[%b6, %j_t, %d] : bf16
              %14 = cast %13 {dtype = f32} : f32
              %_ = fma %12, %14, %10 : f32
              yield %_
            } : f32
            %10 = literal {dtype = f32, value = 0.08838834764831843} : f32
            %11 = mul %9, %10 : f32
            %12 = guard [%i6 - %j_t] : i1
            %13 = literal {dtype = f32, value = -inf} : f32
            %14 = where %12, %11, %13 : f32
            store %14, %s[%j_t - 64*%j_o]
            %15 = maximum %14, %7 : f32
            yield %15
          } : f32
          %7 = eq %6, %0 : i1
          %8 = where %7, %1, %6 : f32
          %9 = sub %4, %8 : f32
          %10 = exp %9 : f32
          %11 = mul %5, %10 : f32
          %12 = for [64*%j_o, min(420, 64*%j_o + 64)] (%j3_t: index, %13 = %11) {
            %14 = load %s[%j3_t - 64*%j_o] : f32
            %15 = sub %14, %8 : f32
            %16 = exp %15 : f32
            %17 = cast %16 {dtype = bf16} : bf16
            store %17, %p[%j3_t - 64*%j_o]
            %18 = add %13, %16 : f32
            yield %18
          } : f32
          for [0, 128] (%f_t: index) {
            %13 = literal {dtype = f32, value = 0.0} : f32
            %14 = for [64*%j_o, min(420, 64*%j_o + 64)] (%j6_t: index, %15 = %13) {
              %16 = load %p[%j6_t - 64*%j_o] : bf16
              %17 = cast %16 {dtype = f32} : f32
              %18 = load %x_3[%b6, %j6_t, %f_t] : bf16
              %19 = cast %18 {dtype = f32} : f32
              %_ = fma %17, %19, %15 : f32
              yield %_
            } : f32
            %15 = load %o[%f_t] : f32
            %16 = mul %15, %10 : f32
            %17 = add %16, %14 : f32
            store %17, %o[%f_t]
            yield
          }
          yield %6, %12
        } : f32, f32
        %4 = literal {dtype = f32, value = 1.0} : f32
        %5 = eq %3, %1 : i1
        %6 = where %5, %4, %3 : f32
        for [0, 128] (%f: index) attributes {kind = "vector", lanes = 16, per_lane = 8} {
          %7 = load %o[%f] : f32
          %8 = div %7, %6 : f32
          %9 = cast %8 {dtype = bf16} : bf16
          store %9, %y[%b6, %i6, %f]
          yield
        }
        yield
      }
      yield
    }
    yield
  }
  return
}
func @wide(%q: buffer<1x150x80xf16, argument>, %k: buffer<1x420x80xf16, argument>, %v: buffer<1x420x72xf16, argument>, %m: buffer<150x420xf16, argument>, %result0: buffer<1x150x72xf16, argument>) attributes {results = 1} {
  launch @wide.0.scaled_dot_product_attention, %q, %k, %v, %m, %result0
  return
}
func @later(%q: buffer<2x150x128xbf16, argument>, %k: buffer<2x420x128xbf16, argument>, %v: buffer<2x420x128xbf16, argument>, %result0: buffer<2x150x128xbf16, argument>) attributes {results = 1} {
  launch @later.0.scaled_dot_product_attention, %q, %k, %v, %result0
  return
}
