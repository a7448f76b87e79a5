// How the lanes of a vector loop come together is stated, and is what the body does.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %zero = literal {dtype = f32, value = 0.0}
  // expected-error@+2 [combine-count] {{the vector loop carries 1 values and `combine` has 0 words}}
  // expected-note@+1 {{write one of add, mul, max, min, or, and for each carried value}}
  %a = for [0, N] (%i: index, %c = %zero) attributes {kind = "vector", lanes = 8} {
    %v = load %x[%i]
    %n = add %c, %v
    yield %n
  }
  // expected-error@+1 [combine-word] {{`plus` in `combine` is none of add, mul, max, min, or, and}}
  %b = for [0, N] (%i: index, %c = %zero) attributes {combine = ["plus"], kind = "vector", lanes = 8} {
    %v = load %x[%i]
    %n = add %c, %v
    yield %n
  }
  // expected-error@+2 [combine-form] {{carried value 0 of the vector loop is not reduced by `mul`: `add` is add}}
  // expected-note@+1 {{yield the carried value combined with another by one op and use it nowhere else, or make the loop serial}}
  %d = for [0, N] (%i: index, %c = %zero) attributes {combine = ["mul"], kind = "vector", lanes = 8} {
    %v = load %x[%i]
    %n = add %c, %v
    yield %n
  }
  // expected-error@+2 [combine-form] {{carried value 0 of the vector loop is not reduced by `add`: the body uses the carried value elsewhere too}}
  // expected-note@+1 {{yield the carried value combined with another by one op and use it nowhere else, or make the loop serial}}
  %e = for [0, N] (%i: index, %c = %zero) attributes {combine = ["add"], kind = "vector", lanes = 8} {
    %v = mul %c, %c
    %n = add %c, %v
    yield %n
  }
  // expected-error@+2 [combine-form] {{carried value 0 of the vector loop is not reduced by `add`: `sub` is none of add, mul, max, min, or, and on these operands}}
  // expected-note@+1 {{yield the carried value combined with another by one op and use it nowhere else, or make the loop serial}}
  %g = for [0, N] (%i: index, %c = %zero) attributes {combine = ["add"], kind = "vector", lanes = 8} {
    %v = load %x[%i]
    %n = sub %c, %v
    yield %n
  }
  // expected-error@+2 [vector-only] {{`combine` belongs to vector loops; this one is serial}}
  // expected-note@+1 {{write `kind = "vector"`, or leave `combine` out}}
  %h = for [0, N] (%i: index, %c = %zero) attributes {combine = ["add"]} {
    %v = load %x[%i]
    %n = add %c, %v
    yield %n
  }
  return
}
