// Every access is shown to stay inside of its buffer, or is `checked`.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
func @f(%x: buffer<[N]x8xf32, argument>, %k: buffer<[N]xi64, argument>, %y: buffer<[M]xf32, argument>) where 4 <= M {
  for [0, N] (%i: index) {
    // expected-error@+2 [bounds-unknown] {{subscript 0 of `x` is %i + 1, which is not shown to lie within a size of N}}
    // expected-note@+1 {{bound the loop, guard the access, state sizes by `where`, or write `checked = true` to have it tested}}
    %0 = load %x[%i + 1, 0]
    // expected-error@+2 [out-of-bounds] {{subscript 1 of `x` is 8, outside of a size of 8}}
    // expected-note@+1 {{correct the subscript or the bounds of the loops around it}}
    %1 = load %x[%i, 8]
    // expected-error@+2 [out-of-bounds] {{subscript 0 of `x` is -%i - 1, outside of a size of N}}
    // expected-note@+1 {{correct the subscript or the bounds of the loops around it}}
    %2 = load %x[-%i - 1, 0]
    %tested = load %x[-%i - 1, 0] {checked = true}
    %p = load %k[%i]
    // expected-error@+2 [bounds-unknown] {{subscript 0 of `y` is %p, which is not shown to lie within a size of M}}
    // expected-note@+1 {{bound the loop, guard the access, state sizes by `where`, or write `checked = true` to have it tested}}
    store %0, %y[%p]
    store %0, %y[%p] {checked = true}
    %old = load %y[%p]
    store %old, %y[3]
    %g = guard [%i - 1, M - %i]
    if %g {
      %3 = load %y[%i - 1]
      store %3, %x[%i - 1, 7]
    }
  }
  return
}
