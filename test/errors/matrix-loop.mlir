// A matrix loop is a tile of a product for the matrix unit, and nothing else.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @f(%x: buffer<300x128xbf16, argument>, %w: buffer<300x128xbf16, argument>, %y: buffer<300x300xbf16, argument>) {
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 8} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  // expected-error@+2 [matrix-stages] {{a matrix loop states 1 stages; 2 to 8 are possible}}
  // expected-note@+1 {{write a number from 2 to 8: 3 or 4 hide the latency of memory}}
  for [0, 64] (%i: index) attributes {kind = "matrix", stages = 1} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  // expected-error@+2 [matrix-only] {{`stages` belongs to matrix loops; this one is serial}}
  // expected-note@+1 {{write `kind = "matrix"`, or leave `stages` out}}
  for [0, 64] (%i: index) attributes {stages = 3} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  return
}
// -----
func @f(%x: buffer<256x128xbf16, argument>, %w: buffer<256x128xbf16, argument>, %y: buffer<256x256xbf16, argument>) {
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: %j is no vector loop that carries nothing}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "serial"} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: it has 300 rows, and a tile 1 to 256}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 300] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: it has 256 rows by 256 columns, and a tile up to 32768 elements}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 200] (%i: index) attributes {kind = "matrix"} {
    for [0, 256] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: the bounds of %j vary in it}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, min(32, %i)] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: the sum is carried in f64}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f64, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %m = mul %af, %bf
        %d = cast %m {dtype = f64}
        %n = add %c, %d
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: it does not start at 0}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 1.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: it does not add products of f32}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = add %c, %af
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: it does more than add products}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %m = mul %af, %bf
        %e = exp %m
        %n = add %c, %m
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: places in `x` are not the sum of what its lines and its terms say}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, (%i + %k) mod 128]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: not one factor is shared by rows and the other one by columns}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%i, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %y[%i, %j]
    }
  }
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: it stores to what the sum reads}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      store %o, %w[%i, %j]
    }
  }
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: there is a loop beside the sum}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      for [0, 2] (%t: index) {
        store %o, %y[%i, %j]
      }
    }
  }
  return
}
// -----
func @f(%x: buffer<256x128xf64, argument>, %w: buffer<256x128xf64, argument>, %y: buffer<256x256xf32, argument>) {
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: its factors are not two elements of f32, bf16 or f16}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = f32}
      store %o, %y[%i, %j]
    }
  }
  return
}
// -----
func @f(%x: buffer<256x128xbf16, argument>, %w: buffer<256x128xbf16, argument>, %y: buffer<256x256xbf16, argument>) {
  for [0, 64] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %af = cast %a {dtype = f32}
        %b = load %w[%j, %k]
        %bf = cast %b {dtype = f32}
        %n = fma %af, %bf, %c
        yield %n
      }
      %o = cast %s {dtype = bf16}
      // expected-error@+1 [race-unknown] {{iterations of the matrix loop over `%i` are not shown to be independent in `y`}}
      store %o, %y[0, %j]
    }
  }
  return
}
// -----
func @f(%x: buffer<256x128xf32, argument>, %w: buffer<256x128xf32, argument>, %y: buffer<256x256xf32, argument>) {
  // expected-error@+2 [matrix-nest] {{the nest is no tile of a product for the matrix unit: it has 128 rows, and a tile 1 to 64}}
  // expected-note@+1 {{write rows around columns around one contraction of f32, bf16 or f16, or make the loop serial}}
  for [0, 128] (%i: index) attributes {kind = "matrix"} {
    for [0, 32] (%j: index) attributes {kind = "vector", lanes = 4, per_lane = 8} {
      %zero = literal {dtype = f32, value = 0.0}
      %s = for [0, 128] (%k: index, %c = %zero) {
        %a = load %x[%i, %k]
        %b = load %w[%j, %k]
        %n = fma %a, %b, %c
        yield %n
      }
      store %s, %y[%i, %j]
    }
  }
  return
}
