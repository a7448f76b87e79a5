// The results of a loop function are its last arguments, new states behind the others.
// RUN: mlgc opt %s --verify-diagnostics --split-input-file
// expected-error@+1 [result-arguments] {{`@f` cannot have 1 results and 0 new states: it takes no buffers}}
func @f(%x: tensor<4xf32>) attributes {results = 1} {
  return
}
// -----
// expected-error@+1 [result-arguments] {{`@f` cannot have 2 results and 0 new states: it has 1 arguments}}
func @f(%x: buffer<4xf32, argument>) attributes {results = 2} {
  return
}
// -----
// expected-error@+1 [result-arguments] {{`@f` cannot have 1 results and 0 new states: argument 1 is buffer<4xf32, weight>}}
func @f(%x: buffer<4xf32, argument>, %w: buffer<4xf32, weight>) attributes {results = 1} {
  return
}
// -----
state @s : tensor<4xf32>
// expected-error@+1 [result-arguments] {{`@f` cannot have 0 results and 1 new states: the attribute `results` is missing}}
func @f(%y: buffer<4xf32, argument>, %n: buffer<4xf32, argument>) updates (@s = %n) {
  return %n
}
// expected-error@+1 [result-arguments] {{`@g` cannot have 1 results and 1 new states: the return names each new state, the last arguments, and nothing else}}
func @g(%y: buffer<4xf32, argument>, %n: buffer<4xf32, argument>) updates (@s = %y) attributes {results = 1} {
  return %y
}
func @h(%y: buffer<4xf32, argument>, %n: buffer<4xf32, argument>) updates (@s = %n) attributes {results = 1} {
  return %n
}
func @i(%y: buffer<4xf32, argument>, %n: buffer<5xf32, argument>) updates (@s = %n) attributes {results = 1} {
  // expected-error@+1 [update-type] {{@s is tensor<4xf32>, updated with buffer<5xf32, argument>}}
  return %n
}
