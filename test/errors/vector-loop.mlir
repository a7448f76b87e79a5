// What the schedule of a loop says can be kept by every back end.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {
  // expected-error@+2 [vector-lanes] {{a vector loop has `lanes`, a power of two from 2 to 1024; this one has none}}
  // expected-note@+1 {{write `lanes = 16`, or another kind of loop}}
  for [0, N] (%i: index) attributes {kind = "vector"} {
    %v = load %x[%i]
    store %v, %y[%i]
  }
  // expected-error@+2 [vector-lanes] {{a vector loop has `lanes`, a power of two from 2 to 1024; this one has 12}}
  // expected-note@+1 {{write `lanes = 16`, or another kind of loop}}
  for [0, N] (%i: index) attributes {kind = "vector", lanes = 12} {
    %v = load %x[%i]
    store %v, %y[%i]
  }
  // expected-error@+2 [vector-only] {{`lanes` belongs to vector loops; this one is serial}}
  // expected-note@+1 {{write `kind = "vector"`, or leave `lanes` out}}
  for [0, N] (%i: index) attributes {lanes = 16} {
    %v = load %x[%i]
    store %v, %y[%i]
  }
  // expected-error@+1 [attribute-value] {{attribute `bounds` of `for`: a third bound belongs to vector loops with `per_lane`, and is a number below that or a remainder, such as `7*%i mod 4`}}
  for [0, N, 4] (%i: index) attributes {kind = "vector", lanes = 16, per_lane = 4} {
    %v = load %x[%i]
    store %v, %y[%i]
  }
  // expected-error@+2 [unrolled-extent] {{an unrolled loop runs a constant number of times, at most 1024; this one runs N times}}
  // expected-note@+1 {{tile the loop and unroll the inner one, or make it serial}}
  for [0, N] (%i: index) attributes {kind = "unrolled"} {
    %v = load %x[%i]
    store %v, %y[%i]
  }
  return
}
// -----
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %zero = literal {dtype = f32, value = 0.0}
  // expected-error@+2 [parallel-carries] {{a parallel loop carries 1 values}}
  // expected-note@+1 {{make the loop serial, or a vector loop that combines them}}
  %s = for [0, N] (%i: index, %a = %zero) attributes {kind = "parallel"} {
    %v = load %x[%i]
    %b = add %a, %v
    yield %b
  }
  store %s, %y[]
  return
}
