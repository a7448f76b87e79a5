// Where a size is said to be the value of an input.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @f(%n: buffer<i64, argument>, %p: buffer<2xi64, argument>, %w: buffer<f32, argument>, %x: buffer<[B]xf32, argument>, %y: buffer<[S]xf32, argument>) attributes {results = 1} {
  bind_size %n {name = "S"}
  // expected-error@+1 [bind-size] {{`bind_size` cannot say what `S` is: another one says so already}}
  bind_size %n {name = "S"}
  // expected-error@+1 [bind-size] {{`bind_size` cannot say what `B` is: `x` has it as a dim}}
  bind_size %n {name = "B"}
  // expected-error@+1 [bind-size] {{`bind_size` cannot say what `T` is: `p` is no i32 or i64}}
  bind_size %p {name = "T"}
  // expected-error@+1 [bind-size] {{`bind_size` cannot say what `T` is: `w` is no i32 or i64}}
  bind_size %w {name = "T"}
  %t = alloc : buffer<i64, arena>
  // expected-error@+1 [bind-size] {{`bind_size` cannot say what `T` is: `t` is no input}}
  bind_size %t {name = "T"}
  return
}
// -----
func @kernel(%n: buffer<i64, argument>, %y: buffer<[S]xf32, argument>) {
  // expected-error@+1 [bind-size] {{`bind_size` cannot say what `S` is: it does not stand in a function with `results = N`, outside of loops and choices}}
  bind_size %n {name = "S"}
  return
}
