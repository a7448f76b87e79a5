// Pieces of a range have no guards, and subscripts that are affine; what is known of no piece stays.
// RUN: mlgc opt %s --pass-pipeline='split-range{function=padded loop=i},split-range{function=sizes loop=i},split-range{function=window loop=w},split-range{function=turned loop=i},split-range{function=mirrored loop=i}' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=window --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=window --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: not mlgc opt %s --pass-pipeline='split-range{function=padded loop=i pieces=2}' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not mlgc opt %s --pass-pipeline='split-range{function=plain loop=i}' 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not mlgc opt %s --pass-pipeline='split-range{function=combined loop=i}' 2>&1 | FileCheck %s --check-prefix=COMBINED
// SAME: y: agrees
// MANY: split-range.mlir:[[#@LINE+12]]:3: error: `split-range` of the loop over `%i` in `@padded` is refused: it has 3 pieces, and 2 are the most
// PLAIN: split-range.mlir:[[#@LINE+95]]:3: error: `split-range` of the loop over `%i` in `@plain` is refused: nothing in it changes along its range
// COMBINED: split-range.mlir:[[#@LINE+102]]:8: error: `split-range` of the loop over `%i` in `@combined` is refused: pieces of a vector loop that combines what it carries would be combined one by one: split it before `vectorize`
// CHECK-LABEL: func @padded
// CHECK: for [0, 2] (%i: index) {
// CHECK-NEXT: %[[ZERO:.*]] = literal
// CHECK-NEXT: store %[[ZERO]], %y[%i]
// CHECK: for [2, N + 2] (%i_2: index) {
// CHECK-NEXT: %[[X:.*]] = load %x[%i_2 - 2] : f32
// CHECK-NEXT: store %[[X]], %y[%i_2]
// CHECK: for [N + 2, N + 5] (%i_3: index) {
func @padded(%x: buffer<[N]xf32, argument>, %y: buffer<[N + 5]xf32, argument>) {
  for [0, N + 5] (%i: index) {
    %0 = guard [%i - 2, N + 1 - %i]
    %1 = if %0 {
      %2 = load %x[%i - 2]
      yield %2
    } else {
      %2 = literal {dtype = f32, value = 0.0}
      yield %2
    }
    store %1, %y[%i]
  }
  return
}
// Two sizes that nothing compares: pieces may be empty.
// CHECK-LABEL: func @sizes
// CHECK: for [0, min(A, N)] (%i: index) {
// CHECK-NEXT: load %x[%i]
// CHECK: for [A, N] (%i_2: index) {
// CHECK-NEXT: literal
func @sizes(%x: buffer<[A]xf32, argument>, %y: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %0 = guard [A - 1 - %i]
    %1 = if %0 {
      %2 = load %x[%i]
      yield %2
    } else {
      %2 = literal {dtype = f32, value = 0.0}
      yield %2
    }
    store %1, %y[%i]
  }
  return
}
// Bounds of a window inside, and a guard that all of its iterations pass.
// CHECK-LABEL: func @window
// CHECK: for [0, 1] (%w: index) {
// CHECK: for [-2*%w + 1, 3] (%q: index, 
// CHECK: for [1, 9] (%w_2: index) {
// CHECK-NEXT: literal
// CHECK-NEXT: for [0, 3] (%q_2: index, 
// CHECK-NEXT: load %x[%q_2 + 2*%w_2 - 1]
// CHECK-NEXT: add
// CHECK: for [9, 10] (%w_3: index) {
// CHECK: guard [
func @window(%x: buffer<19xf32, argument>, %y: buffer<10xf32, argument>) {
  for [0, 10] (%w: index) {
    %0 = literal {dtype = f32, value = 0.0}
    %1 = for [max(-2*%w + 1, 0), 3] (%q: index, %s = %0) {
      %g = guard [19 - 2*%w - %q]
      %2 = if %g {
        %3 = load %x[%q + 2*%w - 1]
        %4 = add %s, %3
        yield %4
      } else {
        yield %s
      }
      yield %2
    }
    store %1, %y[%w]
  }
  return
}
// CHECK-LABEL: func @turned
// CHECK: load %x[%i + N - 3]
// CHECK: load %x[%i_2 - 3]
func @turned(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) where 3 <= N {
  for [0, N] (%i: index) {
    %0 = load %x[(%i + N - 3) mod N]
    store %0, %y[%i]
  }
  return
}
// CHECK-LABEL: func @mirrored
// CHECK: load %x[-%i + 2] : f32
// CHECK: load %x[%i_2 - 2] : f32
// CHECK: load %x[-%i_3 + 22] : f32
func @mirrored(%x: buffer<11xf32, argument>, %y: buffer<15xf32, argument>) {
  for [0, 15] (%i: index) {
    %0 = load %x[max(%i - 2, 2 - %i) - 2*max(0, max(%i - 2, 2 - %i) - 10)] {checked = true}
    store %0, %y[%i]
  }
  return
}
func @plain(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %0 = load %x[%i]
    store %0, %y[%i]
  }
  return
}
func @combined(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %0 = literal {dtype = f32, value = 0.0}
  %1 = for [0, N] (%i: index, %s = %0) attributes {kind = "vector", lanes = 8, combine = ["add"]} {
    %2 = load %x[%i]
    %3 = add %s, %2
    yield %3
  }
  store %1, %y[]
  return
}
