// A step that is not shown to keep what is computed is refused with the reason, and changes nothing.
// RUN: %exits 1 mlgc opt %s --pass-pipeline='parallelize{function=scan loop=i}' 2>&1 | FileCheck %s --check-prefix=PARALLEL
// RUN: %exits 1 mlgc opt %s --pass-pipeline='vectorize{function=scan loop=i}' 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: %exits 1 mlgc opt %s --pass-pipeline='vectorize{function=halve loop=i}' 2>&1 | FileCheck %s --check-prefix=WHILE
// RUN: %exits 1 mlgc opt %s --pass-pipeline='interchange{function=scan loop=i}' 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: %exits 1 mlgc opt %s --pass-pipeline='unroll{function=sum loop=k}' 2>&1 | FileCheck %s --check-prefix=UNROLL
// RUN: %exits 2 mlgc opt %s --pass-pipeline='tile{function=sum loop=k size=0}' 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: %exits 1 mlgc opt %s --numerics=exact --pass-pipeline='vectorize{function=sum loop=k}' 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: %exits 2 mlgc opt %s --pass-pipeline='tile{function=sum loop=q size=4}' 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: %exits 2 mlgc opt %s --pass-pipeline='tile{loop=k size=4}' 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: %exits 2 mlgc opt %s --pass-pipeline='tile{function=sum loop=k size=4 tail=none}' 2>&1 | FileCheck %s --check-prefix=TAIL
// PARALLEL: refused.mlir:[[#@LINE+15]]:3: error: iterations over `%i` are not shown to be independent in `y`
// PARALLEL: note: `parallelize` of the loop over `%i` in `@scan` is refused
// VECTOR: refused.mlir:[[#@LINE+13]]:3: error: iterations over `%i` are not shown to be independent in `y`
// VECTOR: note: `vectorize` of the loop over `%i` in `@scan` is refused
// ORDER: error: the loop over `%i` is not perfectly nested: it must hold one loop and nothing else
// ORDER: note: `interchange` of the loop over `%i` in `@scan` is refused
// UNROLL: error: the trip count of the loop over `%k` is not a constant, expected a constant of at most 1024
// UNROLL: note: `unroll` of the loop over `%k` in `@sum` is refused
// TILE: error: the tile size is 0, expected 1 or more
// TILE: note: `tile` of the loop over `%k` in `@sum` is refused
// EXACT: error: the transform changes the order of roundings, which `--numerics=exact` does not admit
// EXACT: note: `vectorize` of the loop over `%k` in `@sum` is refused
// LOOP: error: there is no loop over `%q` in `@sum`, which has loops over `%k`
// LOOP: note: `tile` of the loop over `%q` in `@sum` is refused
func @scan(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {
  for [1, N] (%i: index) {
    %a = load %y[%i - 1]
    %b = load %x[%i]
    %n = add %a, %b
    store %n, %y[%i]
  }
  return
}
// FUNCTION: error: option `function` of pass `tile`: there are 3 loop functions: name one
// TAIL: error: option `tail` of pass `tile`: expected min, loop or overlap, found `none`
func @sum(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %zero = literal {dtype = f32, value = 0.0}
  %sum = for [0, N] (%k: index, %acc = %zero) {
    %v = load %x[%k]
    %n = add %acc, %v
    yield %n
  }
  store %sum, %y[]
  return
}
// WHILE: error: the loop over `%i` holds `while`, which cannot be run in lanes
// WHILE: note: `vectorize` of the loop over `%i` in `@halve` is refused
func @halve(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {
  %one = literal {dtype = f32, value = 1.0}
  for [0, N] (%i: index) {
    %v = load %x[%i]
    %last = while (%a = %v) {
      %more = lt %one, %a
      condition %more, %a
    } do {
      %half = literal {dtype = f32, value = 0.5}
      %next = mul %a, %half
      yield %next
    }
    store %last, %y[%i]
  }
  return
}
