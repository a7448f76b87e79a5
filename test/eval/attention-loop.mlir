// A matrix loop over queries means what its loops say, here of two tiles of keys: the first query is equally near to all 66, the
// second one to the last one alone.
// RUN: mlgc eval %s --input=q=2x1xbf16=0,1 --input=k=66x1xbf16=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,100 --input=v=66x2xbf16=2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,2,4,35,-62 | FileCheck %s
// CHECK: {{\[}}[ 2.5, 3.0],
// CHECK: [ 35.0, -62.0]]
func @f(%q: buffer<2x1xbf16, argument>, %k: buffer<[N]x1xbf16, argument>, %v: buffer<[N]x2xbf16, argument>, %y: buffer<2x2xbf16, argument>) attributes {results = 1} {
  for [0, 2] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<2xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 2] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 1] (%d: index, %c = %zero) {
          %a = load %q[%i, %d]
          %e = load %k[%j, %d]
          %af = cast %a {dtype = f32}
          %ef = cast %e {dtype = f32}
          %n = fma %af, %ef, %c
          yield %n
        }
        %scale = literal {dtype = f32, value = 0.5}
        %score = mul %dot, %scale
        store %score, %s[%j - 64*%t]
        %larger = maximum %score, %b
        yield %larger
      }
      %none = eq %m1, %low
      %shift = where %none, %zero, %m1
      %grown = sub %m0, %shift
      %change = exp %grown
      %l0c = mul %l0, %change
      %l1 = for [64*%t, min(64*%t + 64, N)] (%j2: index, %z = %l0c) {
        %sj = load %s[%j2 - 64*%t]
        %rest = sub %sj, %shift
        %x = exp %rest
        %x16 = cast %x {dtype = bf16}
        store %x16, %p[%j2 - 64*%t]
        %zn = add %z, %x
        yield %zn
      }
      for [0, 2] (%f1: index) {
        %sum = for [64*%t, min(64*%t + 64, N)] (%j3: index, %c = %zero) {
          %a = load %p[%j3 - 64*%t]
          %e = load %v[%j3, %f1]
          %af = cast %a {dtype = f32}
          %ef = cast %e {dtype = f32}
          %n = fma %af, %ef, %c
          yield %n
        }
        %old = load %o[%f1]
        %scaled = mul %old, %change
        %new = add %scaled, %sum
        store %new, %o[%f1]
      }
      yield %m1, %l1
    }
    for [0, 2] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
