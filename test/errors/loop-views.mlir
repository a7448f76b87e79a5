// A view is the memory of its buffer: it has as many elements, and its accesses are accesses of the buffer.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @f(%x: buffer<[B]x8xf32, argument>, %w: buffer<6xf32, weight>) {
  // expected-error@+2 [buffer-view] {{`buffer_view` has type buffer<[8*B + 1]xf32, argument>, a view of buffer<[B]x8xf32, argument>: it has 8*B + 1 elements, and there are 8*B}}
  // expected-note@+1 {{a view has the dtype, the scope and the number of elements of its buffer}}
  %a = buffer_view %x : buffer<[8*B + 1]xf32, argument>
  // expected-error@+2 [buffer-view] {{`buffer_view` has type buffer<[B]x8xi32, argument>, a view of buffer<[B]x8xf32, argument>: it has another dtype}}
  // expected-note@+1 {{a view has the dtype, the scope and the number of elements of its buffer}}
  %b = buffer_view %x : buffer<[B]x8xi32, argument>
  // expected-error@+2 [buffer-view] {{`buffer_view` has type buffer<[B]x8xf32, arena>, a view of buffer<[B]x8xf32, argument>: it has another scope}}
  // expected-note@+1 {{a view has the dtype, the scope and the number of elements of its buffer}}
  %c = buffer_view %x : buffer<[B]x8xf32, arena>
  // expected-error@+2 [buffer-view] {{`buffer_view` has type tensor<[B]x8xf32>, a view of buffer<[B]x8xf32, argument>: it is not a buffer}}
  // expected-note@+1 {{a view has the dtype, the scope and the number of elements of its buffer}}
  %d = buffer_view %x : tensor<[B]x8xf32>
  %r = alloc : buffer<2x2xf32, register>
  // expected-error@+2 [buffer-view] {{`buffer_view` has type buffer<4xf32, register>, a view of buffer<2x2xf32, register>: names have no order in memory}}
  // expected-note@+1 {{a view has the dtype, the scope and the number of elements of its buffer}}
  %e = buffer_view %r : buffer<4xf32, register>
  %v = buffer_view %w : buffer<2x3xf32, weight>
  %0 = load %v[1, 2]
  // expected-error@+2 [read-only-buffer] {{`store` writes to `v`, a buffer in scope weight}}
  // expected-note@+1 {{new states are results, the last arguments of the function}}
  store %0, %v[0, 0]
  return
}
// -----
func @f(%x: buffer<[B]x8xf32, argument>) {
  %f = buffer_view %x : buffer<[8*B]xf32, argument>
  for [0, B] (%i: index) attributes {kind = "parallel"} {
    %0 = load %x[%i, 3]
    store %0, %f[8*%i]
  }
  for [0, B] (%i: index) attributes {kind = "parallel"} {
    %0 = load %x[%i, 3]
    // expected-error@+2 [race-unknown] {{iterations of the parallel loop over `%i` are not shown to be independent in `f`}}
    // expected-note@+1 {{make the loop serial, or let a subscript be the same multiple of `%i` in all accesses, plus less than that multiple}}
    store %0, %f[%i]
  }
  return
}
// -----
func @f() {
  %s = alloc : buffer<4xf32, thread>
  for [0, 4] (%i: index) attributes {kind = "parallel"} {
    %t = buffer_view %s : buffer<2x2xf32, thread>
    // expected-error@+2 [shared-scratch] {{`t` is a buffer in scope thread from outside of a parallel loop}}
    // expected-note@+1 {{put its `alloc` into the loop, or make it a buffer of the arena}}
    %0 = load %t[0, 0]
  }
  return
}
func @copy(%x: buffer<4xf32, argument>, %y: buffer<2x2xf32, argument>) {
  %0 = load %x[0]
  store %0, %y[0, 1]
  %1 = load %x[1]
  store %1, %y[0, 0]
  return
}
func @g(%x: buffer<4xf32, argument>) {
  %y = buffer_view %x : buffer<2x2xf32, argument>
  // expected-error@+2 [launch-alias] {{`@copy` writes argument 1, and argument 0 is the same memory, which it is not shown to read first}}
  // expected-note@+1 {{give it another buffer}}
  launch @copy, %x, %y
  return
}
