// States that a plan may not write over.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
state @s : tensor<4xf32>
func @copy(%a: buffer<4xf32, argument>, %b: buffer<4xf32, argument>) {
  for [0, 4] (%i: index) {
    %0 = load %a[%i] : f32
    store %0, %b[%i]
  }
  return
}
// expected-error@+2 [state-in-place] {{`@none` cannot write the new value of `@s` over the old one: the function has no new value of it}}
// expected-note@+1 {{leave it out of `in_place`}}
func @none(%x: buffer<4xf32, argument>, %y: buffer<4xf32, argument>) attributes {in_place = ["s"], results = 1} {
  launch @copy, %x, %y
  return
}
// expected-error@+2 [state-in-place] {{`@fails` cannot write the new value of `@s` over the old one: `check` may abort the program when a part of it is written}}
// expected-note@+1 {{leave it out of `in_place`}}
func @fails(%x: buffer<4xf32, argument>, %s1: buffer<4xf32, argument>) updates (@s = %s1) attributes {in_place = ["s"], results = 0} {
  launch @copy, %x, %s1
  check [0] {message = "never"}
  return %s1
}
func @late(%x: buffer<4xf32, argument>, %y: buffer<4xf32, argument>, %s1: buffer<4xf32, argument>) updates (@s = %s1) attributes {in_place = ["s"], results = 1} {
  %s = data @s
  // expected-error@+2 [plan-overlap] {{`s1` and `s` share memory, and their live ranges overlap here}}
  // expected-note@+1 {{give one of them memory of its own; a launch may read the last of one and write the first of the other where it reads each element before it writes it}}
  launch @copy, %x, %s1
  launch @copy, %s, %y
  return %s1
}
