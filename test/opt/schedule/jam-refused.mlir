// Iterations that cannot be copies in the loops inside: none is there, it has other bounds in each, or it needs what the
// iteration before carries on.
// RUN: %exits 1 mlgc opt %s --pass-pipeline='jam{function=flat loop=i factor=2}' 2>&1 | FileCheck %s --check-prefix=FLAT
// RUN: %exits 1 mlgc opt %s --pass-pipeline='jam{function=flat loop=i}' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: %exits 1 mlgc opt %s --pass-pipeline='jam{function=flat loop=i factor=65}' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: %exits 1 mlgc opt %s --pass-pipeline='jam{function=triangle loop=i}' 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: %exits 1 mlgc opt %s --pass-pipeline='jam{function=running loop=i}' 2>&1 | FileCheck %s --check-prefix=CARRIED
// RUN: %exits 1 mlgc opt %s --pass-pipeline='jam{function=shift loop=i}' 2>&1 | FileCheck %s --check-prefix=APART
// FLAT: error: `jam` of the loop over `%i` in `@flat` is refused: there is no loop inside whose bounds all iterations have in common
// COUNT: error: `jam` of the loop over `%i` in `@flat` is refused: the loop does not run a constant number of times: give a factor
// MANY: error: `jam` of the loop over `%i` in `@flat` is refused: from 1 to 64 iterations become copies
func @flat(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %v = load %x[%i]
    store %v, %y[%i]
  }
  return
}
// BOUNDS: error: `jam` of the loop over `%i` in `@triangle` is refused: there is no loop inside whose bounds all iterations have in common
func @triangle(%x: buffer<4x4xf32, argument>, %y: buffer<4x4xf32, argument>) {
  for [0, 4] (%i: index) {
    for [0, %i] (%j: index) {
      %v = load %x[%i, %j]
      store %v, %y[%i, %j]
    }
  }
  return
}
// CARRIED: error: `jam` of the loop over `%i` in `@running` is refused: a loop inside needs what the iteration before carries on
func @running(%x: buffer<4x4xf32, argument>, %y: buffer<f32, argument>) {
  %zero = literal {dtype = f32, value = 0.0}
  %sum = for [0, 4] (%i: index, %s = %zero) {
    %row = for [0, 4] (%j: index, %t = %s) {
      %v = load %x[%i, %j]
      %n = add %t, %v
      yield %n
    }
    yield %row
  }
  store %sum, %y[]
  return
}
// APART: error: `jam` of the loop over `%i` in `@shift` is refused: iterations over `%i` are not shown to be independent in `y`
func @shift(%x: buffer<4x4xf32, argument>, %y: buffer<5x4xf32, argument>) {
  for [0, 4] (%i: index) {
    for [0, 4] (%j: index) {
      %v = load %y[%i, %j]
      store %v, %y[%i + 1, %j]
    }
  }
  return
}
