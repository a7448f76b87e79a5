// A buffer is freed once, in the region of its `alloc`, after all that touches it, by a host function.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @twice(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %0 = load %a[%i] : f32
    %1 = add %0, %0 : f32
    store %1, %b[%i]
  }
  return
}
func @touched(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<[N]xf32, arena>
  launch @twice, %x, %t
  // expected-error@+2 [dealloc] {{`dealloc` of `t`: `launch` touches it afterwards}}
  // expected-note@+1 {{write it once, after the last op that touches the buffer, in the region of its `alloc`}}
  dealloc %t
  launch @twice, %t, %y
  return
}
// -----
func @twice_freed(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<[N]xf32, arena>
  dealloc %t
  // expected-error@+2 [dealloc] {{`dealloc` of `t`: it is freed already}}
  // expected-note@+1 {{write it once, after the last op that touches the buffer, in the region of its `alloc`}}
  dealloc %t
  return
}
// -----
func @argument(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  // expected-error@+2 [dealloc] {{`dealloc` of `x`: it is not an `alloc`}}
  // expected-note@+1 {{write it once, after the last op that touches the buffer, in the region of its `alloc`}}
  dealloc %x
  return
}
// -----
func @elsewhere(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<[N]xf32, arena>
  for [0, 3] (%k: index) {
    // expected-error@+2 [dealloc] {{`dealloc` of `t`: its `alloc` is in another region}}
    // expected-note@+1 {{write it once, after the last op that touches the buffer, in the region of its `alloc`}}
    dealloc %t
    yield
  }
  return
}
// -----
func @kernel(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {
  %t = alloc : buffer<[N]xf32, arena>
  // expected-error@+2 [dealloc] {{`dealloc` of `t`: only a host function, which states `results = N`, frees memory}}
  // expected-note@+1 {{write it once, after the last op that touches the buffer, in the region of its `alloc`}}
  dealloc %t
  return
}
