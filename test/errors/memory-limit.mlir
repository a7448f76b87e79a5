// What a limit of memory is: a number of bytes, of calls, and sizes as `--dim` has them.
// RUN: mlgc opt %s --verify-diagnostics
// expected-error@+1 [attribute-value] {{attribute `memory_limit` of `func`: it is a number of bytes, as 67108864 is}}
func @negative(%x: tensor<4xf32>) -> tensor<4xf32> attributes {memory_limit = -1} {
  return %x
}
// expected-error@+1 [attribute-value] {{attribute `memory_limit` of `func`: it is a number of bytes, as 67108864 is}}
func @symbolic(%x: tensor<[B]xf32>) -> tensor<[B]xf32> attributes {memory_limit = [4*B]} {
  return %x
}
// expected-error@+1 [attribute-value] {{attribute `memory_limit` of `func`: it is a number of bytes, as 67108864 is}}
func @text(%x: tensor<4xf32>) -> tensor<4xf32> attributes {memory_limit = "64MiB"} {
  return %x
}
// expected-error@+1 [attribute-value] {{attribute `memory_limit_sizes` of `func`: it says sizes for a `memory_limit`, and there is none}}
func @alone(%x: tensor<[B]xf32>) -> tensor<[B]xf32> attributes {memory_limit_sizes = ["B=4"]} {
  return %x
}
// expected-error@+1 [attribute-value] {{attribute `memory_limit_sizes` of `func`: `B=-4` is no size, as "B=64" is}}
func @no_size(%x: tensor<[B]xf32>) -> tensor<[B]xf32> attributes {memory_limit = 64, memory_limit_sizes = ["B=-4"]} {
  return %x
}
// expected-error@+1 [attribute-value] {{attribute `memory_limit_sizes` of `func`: the size of `B` is said twice}}
func @twice(%x: tensor<[B]xf32>) -> tensor<[B]xf32> attributes {memory_limit = 64, memory_limit_sizes = ["B=4", "B=5"]} {
  return %x
}
// expected-error@+1 [attribute-value] {{attribute `memory_limit_sizes` of `func`: it is a list of sizes, as ["B=64"] is}}
func @no_list(%x: tensor<[B]xf32>) -> tensor<[B]xf32> attributes {memory_limit = 64, memory_limit_sizes = "B=4"} {
  return %x
}
// expected-error@+1 [attribute-value] {{attribute `memory_limit` of `func`: what a kernel takes counts to the calls that launch it}}
func @kernel(%a: buffer<[M]xf32, argument>, %b: buffer<[M]xf32, argument>) attributes {memory_limit = 64} {
  for [0, M] (%i: index) attributes {kind = "parallel"} {
    %0 = load %a[%i] : f32
    store %0, %b[%i]
    yield
  }
  return
}
func @driver(%x: buffer<[M]xf32, argument>, %y: buffer<[M]xf32, argument>) attributes {memory_limit = 64, results = 1} {
  launch @kernel, %x, %y
  return
}
