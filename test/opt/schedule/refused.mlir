// A step that is not shown to keep what is computed is refused with the reason, and changes nothing.
// RUN: %exits 1 mlgc opt %s --pass-pipeline='parallelize{function=scan loop=i}' 2>&1 | FileCheck %s --check-prefix=PARALLEL
// RUN: %exits 1 mlgc opt %s --pass-pipeline='vectorize{function=scan loop=i}' 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: %exits 1 mlgc opt %s --pass-pipeline='vectorize{function=halve loop=i}' 2>&1 | FileCheck %s --check-prefix=WHILE
// RUN: %exits 1 mlgc opt %s --pass-pipeline='interchange{function=scan loop=i}' 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: %exits 1 mlgc opt %s --pass-pipeline='unroll{function=sum loop=k}' 2>&1 | FileCheck %s --check-prefix=UNROLL
// RUN: %exits 1 mlgc opt %s --pass-pipeline='tile{function=sum loop=k size=0}' 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: %exits 1 mlgc opt %s --numerics=exact --pass-pipeline='vectorize{function=sum loop=k}' 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: %exits 2 mlgc opt %s --pass-pipeline='tile{function=sum loop=q size=4}' 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: %exits 2 mlgc opt %s --pass-pipeline='tile{loop=k size=4}' 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: %exits 2 mlgc opt %s --pass-pipeline='tile{function=sum loop=k size=4 tail=none}' 2>&1 | FileCheck %s --check-prefix=TAIL
// PARALLEL: refused.mlir:[[#@LINE+8]]:3: error: `parallelize` of the loop over `%i` in `@scan` is refused: iterations over `%i` are not shown to be independent in `y`
// VECTOR: refused.mlir:[[#@LINE+7]]:3: error: `vectorize` of the loop over `%i` in `@scan` is refused: iterations over `%i` are not shown to be independent in `y`
// ORDER: error: `interchange` of the loop over `%i` in `@scan` is refused: the loop holds other ops than one loop
// UNROLL: error: `unroll` of the loop over `%k` in `@sum` is refused: the loop does not run a constant number of times: give a factor
// TILE: error: `tile` of the loop over `%k` in `@sum` is refused: a tile has at least one iteration
// EXACT: error: `vectorize` of the loop over `%k` in `@sum` is refused: it changes the order of roundings, which --numerics=exact does not admit
// LOOP: error: option `loop` of pass `tile`: there is no loop over `%q`; there are %k
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
// WHILE: error: `vectorize` of the loop over `%i` in `@halve` is refused: each lane would go round a `while` on its own
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
