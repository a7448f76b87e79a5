// A matrix loop over queries is attention in one form; what is not that form is refused with what differs.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
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
      for [0, 24] (%f1: index) {
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
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: the sums do not start at 0}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      %one = literal {dtype = f32, value = 1.0}
      store %one, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
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
      for [0, 24] (%f1: index) {
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
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: the sums of a query are not scaled and added to}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
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
      for [0, 24] (%f1: index) {
        %sum = for [64*%t, min(64*%t + 64, N)] (%j3: index, %c = %zero) {
          %a = load %p[%j3 - 64*%t]
          %e = load %v[%j3, %f1]
          %af = cast %a {dtype = f32}
          %ef = cast %e {dtype = f32}
          %n = fma %af, %ef, %c
          yield %n
        }
        %old = load %o[%f1]
        %scaled = mul %old, %old
        %new = add %scaled, %sum
        store %new, %o[%f1]
      }
      yield %m1, %l1
    }
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: exponentials are not those of the scores}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
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
        %rest = sub %sj, %m1
        %x = exp %rest
        %x16 = cast %x {dtype = bf16}
        store %x16, %p[%j2 - 64*%t]
        %zn = add %z, %x
        yield %zn
      }
      for [0, 24] (%f1: index) {
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
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: the sum is not scaled by the change of the maximum}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
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
      %l0c = mul %l0, %m1
      %l1 = for [64*%t, min(64*%t + 64, N)] (%j2: index, %z = %l0c) {
        %sj = load %s[%j2 - 64*%t]
        %rest = sub %sj, %shift
        %x = exp %rest
        %x16 = cast %x {dtype = bf16}
        store %x16, %p[%j2 - 64*%t]
        %zn = add %z, %x
        yield %zn
      }
      for [0, 24] (%f1: index) {
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
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: the loop over scores does not carry their maximum}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
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
        %larger = maximum %dot, %b
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
      for [0, 24] (%f1: index) {
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
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: a score is computed from what a tile has}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
          %a = load %q[%i, %d]
          %e = load %k[%j, %d]
          %af = cast %a {dtype = f32}
          %ef = cast %e {dtype = f32}
          %n = fma %af, %ef, %c
          yield %n
        }
        %scale = literal {dtype = f32, value = 0.5}
        %score = mul %dot, %m0
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
      for [0, 24] (%f1: index) {
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
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: exponentials are not added}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
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
        %zn = mul %z, %x
        yield %zn
      }
      for [0, 24] (%f1: index) {
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
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: neighbours in `v` are along neither its lines nor its terms}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
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
      for [0, 24] (%f1: index) {
        %sum = for [64*%t, min(64*%t + 64, N)] (%j3: index, %c = %zero) {
          %a = load %p[%j3 - 64*%t]
          %e = load %v[%j3, 23 - %f1]
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
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: queries or keys are not strided}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
          %a = load %q[%i, %d]
          %e = load %k[%j, 39 - %d]
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
      for [0, 24] (%f1: index) {
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
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: the loop over tiles of keys does not carry their maximum and sum}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
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
      for [0, 24] (%f1: index) {
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
      yield %m0, %l1
    }
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: what follows from the sums is no vector loop that carries nothing}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
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
      for [0, 24] (%f1: index) {
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
    for [0, 24] (%f: index)  {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: it does not have 1 to 128 queries}}
  for [0, 129] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
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
      for [0, 24] (%f1: index) {
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
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: it stores to what the scores or sums read}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 64] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<64xf32, thread>
      %p = alloc : buffer<64xbf16, thread>
      %m1 = for [64*%t, min(64*%t + 64, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
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
      for [0, 24] (%f1: index) {
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
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
      store %r16, %q[%i, %f]
    }
  }
  return
}
// -----
func @f(%q: buffer<200x40xbf16, argument>, %k: buffer<[N]x40xbf16, argument>, %v: buffer<[N]x24xbf16, argument>, %y: buffer<200x24xbf16, argument>) {
  // expected-error@+1 [matrix-nest] {{the nest is no tile of a product for the matrix unit: a tile does not have 64 keys}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 2} {
    %o = alloc : buffer<24xf32, thread>
    %low = literal {dtype = f32, value = -inf}
    %zero = literal {dtype = f32, value = 0.0}
    for [0, 24] (%f0: index) {
      store %zero, %o[%f0]
    }
    %m, %l = for [0, N ceildiv 32] (%t: index, %m0 = %low, %l0 = %zero) {
      %s = alloc : buffer<32xf32, thread>
      %p = alloc : buffer<32xbf16, thread>
      %m1 = for [32*%t, min(32*%t + 32, N)] (%j: index, %b = %m0) {
        %dot = for [0, 40] (%d: index, %c = %zero) {
          %a = load %q[%i, %d]
          %e = load %k[%j, %d]
          %af = cast %a {dtype = f32}
          %ef = cast %e {dtype = f32}
          %n = fma %af, %ef, %c
          yield %n
        }
        %scale = literal {dtype = f32, value = 0.5}
        %score = mul %dot, %scale
        store %score, %s[%j - 32*%t]
        %larger = maximum %score, %b
        yield %larger
      }
      %none = eq %m1, %low
      %shift = where %none, %zero, %m1
      %grown = sub %m0, %shift
      %change = exp %grown
      %l0c = mul %l0, %change
      %l1 = for [32*%t, min(32*%t + 32, N)] (%j2: index, %z = %l0c) {
        %sj = load %s[%j2 - 32*%t]
        %rest = sub %sj, %shift
        %x = exp %rest
        %x16 = cast %x {dtype = bf16}
        store %x16, %p[%j2 - 32*%t]
        %zn = add %z, %x
        yield %zn
      }
      for [0, 24] (%f1: index) {
        %sum = for [32*%t, min(32*%t + 32, N)] (%j3: index, %c = %zero) {
          %a = load %p[%j3 - 32*%t]
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
    for [0, 24] (%f: index) attributes {kind = "vector", lanes = 2, per_lane = 8} {
      %of = load %o[%f]
      %r = div %of, %l
      %r16 = cast %r {dtype = bf16}
      store %r16, %y[%i, %f]
    }
  }
  return
}
