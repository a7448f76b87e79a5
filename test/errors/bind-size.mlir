// Where a size is said to be the value of a buffer, and where it is spoken of.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @f(%n: buffer<i64, argument>, %p: buffer<2xi64, argument>, %w: buffer<f32, argument>, %x: buffer<[B]xf32, argument>, %y: buffer<[S]xf32, argument>) attributes {results = 1} {
  bind_size %n {name = "S"}
  // expected-error@+1 [bind-size] {{`bind_size` cannot say what `S` is: another one binds it already}}
  bind_size %n {name = "S"}
  // expected-error@+1 [bind-size] {{`bind_size` cannot say what `B` is: `x` has it as a dim}}
  bind_size %n {name = "B"}
  // expected-error@+1 [bind-size] {{`bind_size` cannot say what `T` is: `p` is not an i32 or i64}}
  bind_size %p {name = "T"}
  // expected-error@+1 [bind-size] {{`bind_size` cannot say what `T` is: `w` is not an i32 or i64}}
  bind_size %w {name = "T"}
  return
}
// -----
func @kernel(%n: buffer<i64, argument>, %y: buffer<[S]xf32, argument>) {
  // expected-error@+1 [bind-size] {{`bind_size` cannot say what `S` is: it is not in a function with `results = N`}}
  bind_size %n {name = "S"}
  return
}
// -----
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<i64, arena>
  for [0, N] (%i: index) attributes {kind = "parallel"} {
    // expected-error@+1 [bind-size] {{`bind_size` cannot say what `S` is: it is in a parallel loop}}
    bind_size %t {name = "S"}
  }
  return
}
// -----
// A size that a call computes is known behind the op that says it, to the end of the region.
func @f(%x: buffer<f32, argument>, %y: buffer<f32, argument>) attributes {results = 1} {
  %t = alloc : buffer<i64, arena>
  // expected-error@+1 [size-not-bound] {{the size `S` is not known here: `bind_size` says it later}}
  %early = alloc : buffer<[S]xf32, arena>
  %yes = literal {dtype = i1, value = true} : i1
  if %yes {
    bind_size %t {name = "S"}
    %known = alloc : buffer<[S]xf32, arena>
  } else {
    // expected-error@+1 [size-not-bound] {{the size `S` is not known here: `bind_size` says it in another region}}
    %other = alloc : buffer<[2*S]xf32, arena>
  }
  return
}
