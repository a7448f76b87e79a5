// A tile whose factors the device copies by maps, with more parts of the terms than are in shared memory at a time, several tiles
// a block: what is planted in it must be noticed (emulated_test.py --planted).
// RUN: mlgc emit %s --target=cuda | FileCheck %s
func @ring.0(%x: buffer<456x136xf16, argument>, %w: buffer<72x456xf16, argument>, %y: buffer<136x72xf16, argument>) {
  for [0, 3] (%io: index) attributes {kind = "parallel"} {
    for [0, 2] (%jo: index) attributes {kind = "parallel"} {
      for [64*%io, min(64*%io + 64, 136)] (%i: index) attributes {kind = "matrix", stages = 4} {
        for [64*%jo, min(64*%jo + 64, 72)] (%j: index) attributes {kind = "vector", lanes = 8, per_lane = 8} {
          %zero = literal {dtype = f32, value = 0.0}
          %s = for [0, 456] (%k: index, %c = %zero) {
            %a = load %x[%k, %i]
            %b1 = load %w[%j, %k]
            %af = cast %a {dtype = f32}
            %bf = cast %b1 {dtype = f32}
            %n = fma %af, %bf, %c
            yield %n
          }
          %o = cast %s {dtype = f16}
          store %o, %y[%i, %j]
        }
      }
    }
  }
  return
}
func @ring(%x: buffer<456x136xf16, argument>, %w: buffer<72x456xf16, argument>, %y: buffer<136x72xf16, argument>) attributes {results = 1} {
  launch @ring.0, %x, %w, %y
  return
}
// CHECK: mlgc_tensor_tile<mlgc_matrix_f16, 64, 64, 1, false, true>::multiply(ring
