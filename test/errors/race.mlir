// Iterations that run at the same time are shown to keep apart.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>, %z: buffer<[N]x4xf32, argument>) {
  for [0, N] (%i: index) attributes {kind = "parallel"} {
    %v = load %x[%i]
    // expected-error@+2 [race] {{all iterations of the parallel loop over `%i` store to one element of `y`}}
    // expected-note@+1 {{make the loop serial, or let a subscript depend on `%i`}}
    store %v, %y[0]
  }
  for [1, N] (%i: index) attributes {kind = "vector", lanes = 4} {
    %v = load %y[%i - 1]
    // expected-error@+2 [race-unknown] {{iterations of the vector loop over `%i` are not shown to be independent in `y`}}
    // expected-note@+1 {{make the loop serial, or let a subscript be the same multiple of `%i` in all accesses, plus less than that multiple}}
    store %v, %y[%i]
  }
  for [0, N ceildiv 4] (%o: index) attributes {kind = "parallel"} {
    for [4*%o, min(4*%o + 5, N)] (%i: index) {
      %v = load %x[%i]
      // expected-error@+2 [race-unknown] {{iterations of the parallel loop over `%o` are not shown to be independent in `y`}}
      // expected-note@+1 {{make the loop serial, or let a subscript be the same multiple of `%o` in all accesses, plus less than that multiple}}
      store %v, %y[%i]
    }
  }
  for [0, N ceildiv 4] (%o: index) attributes {kind = "parallel"} {
    for [4*%o, min(4*%o + 4, N)] (%i: index) attributes {kind = "vector", lanes = 4} {
      %v = load %x[%i]
      store %v, %y[%i]
    }
  }
  for [0, N] (%i: index) attributes {kind = "parallel"} {
    for [1, 4] (%j: index) {
      %v = load %z[%i, %j - 1]
      store %v, %z[%i, %j]
    }
  }
  return
}
