// What a plan may say of memory.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @twice(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) attributes {kind = "parallel"} {
    %0 = load %a[%i] : f32
    %1 = add %0, %0 : f32
    store %1, %b[%i]
  }
  return
}
// Both of `%t` and `%u` are needed by the last launch.
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<[N]xf32, arena>
  launch @twice, %x, %t
  %u = alloc %t : buffer<[N]xf32, arena>
  // expected-error@+2 [plan-overlap] {{`t` and `u` share memory, and their live ranges overlap here}}
  // expected-note@+1 {{give one of them memory of its own; a launch may read the last of one and write the first of the other where it reads each element before it writes it}}
  launch @twice, %t, %u
  launch @twice, %t, %y
  return
}
// -----
// Written from the end on, each element is read after another one was written.
func @turn(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %0 = load %a[N - 1 - %i] : f32
    store %0, %b[%i]
  }
  return
}
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  %t = alloc %y : buffer<[N]xf32, arena>
  launch @turn, %x, %t
  // expected-error@+2 [launch-alias] {{`@turn` writes argument 1, and argument 0 is the same memory, which it is not shown to read first}}
  // expected-note@+1 {{give it another buffer}}
  launch @turn, %t, %y
  return
}
// -----
state @s : tensor<4xf32>
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  // expected-error@+2 [alloc-memory] {{`alloc` cannot take the memory of `x`: inputs are not written}}
  // expected-note@+1 {{name a buffer of the arena or a result that has the same dtype and as many elements}}
  %a = alloc %x : buffer<[N]xf32, arena>
  %s = data @s
  // expected-error@+2 [alloc-memory] {{`alloc` cannot take the memory of `s`: weights and states are not written}}
  // expected-note@+1 {{name a buffer of the arena or a result that has the same dtype and as many elements}}
  %b = alloc %s : buffer<4xf32, arena>
  // expected-error@+2 [alloc-memory] {{`alloc` cannot take the memory of `y`: it has N elements, and N + 1 are asked for}}
  // expected-note@+1 {{name a buffer of the arena or a result that has the same dtype and as many elements}}
  %c = alloc %y : buffer<[N + 1]xf32, arena>
  // expected-error@+2 [alloc-memory] {{`alloc` cannot take the memory of `y`: it has another dtype}}
  // expected-note@+1 {{name a buffer of the arena or a result that has the same dtype and as many elements}}
  %d = alloc %y : buffer<[N]xi32, arena>
  // expected-error@+2 [alloc-memory] {{`alloc` cannot take the memory of `y`: the buffer is not in scope arena}}
  // expected-note@+1 {{name a buffer of the arena or a result that has the same dtype and as many elements}}
  %e = alloc %y : buffer<[N]xf32, thread>
  return
}
func @kernel(%y: buffer<[N]xf32, argument>) {
  // expected-error@+2 [alloc-memory] {{`alloc` cannot take the memory of `y`: only a function with `results = N` has a plan}}
  // expected-note@+1 {{name a buffer of the arena or a result that has the same dtype and as many elements}}
  %a = alloc %y : buffer<[N]xf32, arena>
  return
}
