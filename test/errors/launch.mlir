// A launched function gets buffers that it can take.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
weight @w : tensor<4xf32>
func @k(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) where 2 <= N {
  for [0, N] (%i: index) {
    %v = load %a[%i]
    store %v, %b[%i]
  }
  return
}
func @driver(%x: buffer<[B]xf32, argument>, %y: buffer<[B]xf32, argument>, %z: buffer<4xf32, argument>) attributes {results = 1} {
  // expected-error@+2 [launch-buffer] {{argument 1 of `@k` is buffer<4xf32, argument>, launched with buffer<[B]xf32, argument>}}
  // expected-note@+1 {{dtype, sizes and layout must be the same; the scope may be argument, weight or arena where the argument has scope argument}}
  launch @k, %z, %y
  // expected-error@+2 [launch-constraint] {{`@k` asks for `2 <= B`, which does not follow here}}
  // expected-note@+1 {{add `where 2 <= B` to the launching function}}
  launch @k, %x, %y
  launch @k, %z, %z
  %w = data @w
  // expected-error@+2 [read-only-buffer] {{`launch` writes to `w`, a buffer in scope weight}}
  // expected-note@+1 {{new states are results, the last arguments of the function}}
  launch @k, %z, %w
  launch @k, %w, %z
  for [0, 4] (%i: index) attributes {kind = "parallel"} {
    // expected-error@+2 [launch-in-parallel] {{a launch is inside of a parallel loop}}
    // expected-note@+1 {{make the loop serial; the launched function has its own}}
    launch @k, %w, %z
  }
  return
}
// -----
func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x
}
func @k(%a: buffer<4xf32, argument>) {
  return
}
func @driver(%x: buffer<4xf32, argument>) {
  // expected-error@+2 [launch-callee] {{`@g` is not a loop function}}
  // expected-note@+1 {{a launched function takes buffers; functions on tensors are called}}
  launch @g, %x
  // expected-error@+1 [call-arguments] {{`@k` takes 1 arguments, not 2}}
  launch @k, %x, %x
  return
}
