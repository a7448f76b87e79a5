// Buffers are used where they live.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @f(%w: buffer<4xf32, weight>, %y: buffer<[N]x4xf32, argument>) {
  // expected-error@+2 [alloc-scope] {{`alloc` makes a buffer in scope weight}}
  // expected-note@+1 {{write arena, thread or register}}
  %u = alloc : buffer<4xf32, weight>
  %s = alloc : buffer<4xf32, thread>
  // expected-error@+2 [register-buffer] {{`r` is a buffer in scope register: its sizes are not constant}}
  // expected-note@+1 {{subscripts are constant once unrolled loops are written out, or the index of a vector loop; otherwise the scope is thread}}
  %r = alloc : buffer<[N]xf32, register>
  %v = load %w[0]
  // expected-error@+2 [read-only-buffer] {{`store` writes to `w`, a buffer in scope weight}}
  // expected-note@+1 {{new states are results, the last arguments of the function}}
  store %v, %w[1]
  // expected-error@+1 [subscript-rank] {{`store` has 1 subscripts for a buffer of rank 2}}
  store %v, %y[0]
  for [0, N] (%i: index) attributes {kind = "parallel"} {
    // expected-error@+2 [arena-in-parallel] {{a buffer in scope arena is allocated inside of a parallel loop}}
    // expected-note@+1 {{write scope thread, or put the `alloc` in front of the loop}}
    %a = alloc : buffer<4xf32, arena>
    // expected-error@+2 [shared-scratch] {{`s` is a buffer in scope thread from outside of a parallel loop}}
    // expected-note@+1 {{put its `alloc` into the loop, or make it a buffer of the arena}}
    %b = load %s[0]
    %p = alloc : buffer<4xf32, register>
    for [0, 4] (%j: index) {
      // expected-error@+2 [register-buffer] {{`p` is a buffer in scope register: which element subscript 0 means is not known when code is written}}
      // expected-note@+1 {{subscripts are constant once unrolled loops are written out, or the index of a vector loop; otherwise the scope is thread}}
      store %b, %p[%j]
    }
  }
  return
}
// -----
// expected-error@+2 [argument-scope] {{argument `x` is a buffer in scope thread}}
// expected-note@+1 {{write argument or weight}}
func @f(%x: buffer<4xf32, thread>) {
  return
}
// -----
func @f(%x: buffer<4xf32, argument>) {
  %v = literal {dtype = f64, value = 1.0}
  // expected-error@+2 [dtype-mismatch] {{`store` is applied to f64 and f32}}
  // expected-note@+1 {{operands of one op have one dtype: insert `cast`}}
  store %v, %x[0]
  return
}
// -----
func @f(%x: buffer<4xf32, argument>) {
  // expected-error@+1 [buffer-stated] {{`alloc` is stated as tensor<4xf32>, expected a buffer}}
  %t = alloc : tensor<4xf32>
  return
}
