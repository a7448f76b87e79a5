// A launch states the sizes of the loop function that no buffer has as a dim, each once.
// RUN: mlgc opt %s --verify-diagnostics
func @k(%a: buffer<[B*S]xf32, argument>, %b: buffer<[B]x[S]xf32, argument>) {
  return
}
func @flat(%a: buffer<[B*S]xf32, argument>) {
  for [0, B] (%i: index) {
    for [0, S] (%j: index) {
      %v = load %a[%i*S + %j]
    }
  }
  return
}
func @plain(%a: buffer<4xf32, argument>) {
  %s = apply [S] : i64
  return
}
func @driver(%x: buffer<[6*N]xf32, argument>, %y: buffer<6x[N]xf32, argument>, %z: buffer<4xf32, argument>) {
  launch @k, %x, %y
  launch @flat, %x {names = ["B", "S"], sizes = [2, 3*N]}
  launch @flat, %x {names = ["S", "B"], sizes = [6, N]}
  // expected-error@+6 [launch-size] {{the size `B` of `@flat` is not by itself a dim of a buffer of the launch}}
  // expected-note@+5 {{state it: `{names = ["B"], sizes = [...]}`}}
  // expected-error@+4 [launch-size] {{the size `S` of `@flat` is not by itself a dim of a buffer of the launch}}
  // expected-note@+3 {{state it: `{names = ["S"], sizes = [...]}`}}
  // expected-error@+2 [launch-buffer] {{argument 0 of `@flat` is buffer<[B*S]xf32, argument>, launched with buffer<[6*N]xf32, argument>}}
  // expected-note@+1 {{dtype, sizes and layout must be the same; the scope may be argument, weight or arena where the argument has scope argument}}
  launch @flat, %x
  // expected-error@+2 [launch-buffer] {{argument 0 of `@flat` is buffer<[4*N]xf32, argument>, launched with buffer<[6*N]xf32, argument>}}
  // expected-note@+1 {{dtype, sizes and layout must be the same; the scope may be argument, weight or arena where the argument has scope argument}}
  launch @flat, %x {names = ["B", "S"], sizes = [4, N]}
  // expected-error@+2 [launch-names] {{a launch of `@k` cannot state its sizes so: it has no size `T`}}
  // expected-note@+1 {{write one of its sizes in `names`, each once, and for each what it is here in `sizes`}}
  launch @k, %x, %y {names = ["T"], sizes = [5]}
  // expected-error@+2 [launch-names] {{a launch of `@k` cannot state its sizes so: `B` is named twice}}
  // expected-note@+1 {{write one of its sizes in `names`, each once, and for each what it is here in `sizes`}}
  launch @k, %x, %y {names = ["B", "B"], sizes = [6, 6]}
  // expected-error@+2 [launch-names] {{a launch of `@k` cannot state its sizes so: there are 1 names and 0 sizes}}
  // expected-note@+1 {{write one of its sizes in `names`, each once, and for each what it is here in `sizes`}}
  launch @k, %x, %y {names = ["B"]}
  // expected-error@+2 [launch-constraint] {{`@plain` asks for `0 <= N - 7`, which does not follow here}}
  // expected-note@+1 {{add `where 0 <= N - 7` to the launching function}}
  launch @plain, %z {names = ["S"], sizes = [N - 7]}
  return
}
