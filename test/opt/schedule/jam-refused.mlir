// Iterations that cannot be copies in the loops inside: none is there, it has other bounds in each, or it needs what the
// iteration before carries on.
// RUN: %exits 1 mlgc opt %s --pass-pipeline='jam{function=flat loop=i factor=2}' 2>&1 | FileCheck %s --check-prefix=FLAT
// RUN: %exits 1 mlgc opt %s --pass-pipeline='jam{function=flat loop=i}' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: %exits 2 mlgc opt %s --pass-pipeline='jam{function=flat loop=i factor=65}' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: %exits 1 mlgc opt %s --pass-pipeline='jam{function=triangle loop=i}' 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: %exits 1 mlgc opt %s --pass-pipeline='jam{function=running loop=i}' 2>&1 | FileCheck %s --check-prefix=CARRIED
// RUN: %exits 1 mlgc opt %s --pass-pipeline='jam{function=shift loop=i}' 2>&1 | FileCheck %s --check-prefix=APART
// FLAT: error: the loop over `%i` holds no loop with the same bounds in all iterations, expected one
// FLAT: note: `jam` of the loop over `%i` in `@flat` is refused
// COUNT: error: the trip count of the loop over `%i` is not a constant, expected a constant from 1 to 64
// COUNT: note: `jam` of the loop over `%i` in `@flat` is refused
// MANY: error: the factor is 65, expected from 0 to 64
// MANY: note: `jam` of the loop over `%i` in `@flat` is refused
func @flat(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %v = load %x[%i]
    store %v, %y[%i]
  }
  return
}
// BOUNDS: error: the loop over `%i` holds no loop with the same bounds in all iterations, expected one
// BOUNDS: note: `jam` of the loop over `%i` in `@triangle` is refused
func @triangle(%x: buffer<4x4xf32, argument>, %y: buffer<4x4xf32, argument>) {
  for [0, 4] (%i: index) {
    for [0, %i] (%j: index) {
      %v = load %x[%i, %j]
      store %v, %y[%i, %j]
    }
  }
  return
}
// CARRIED: error: an inner loop depends on what the loop over `%i` carries
// CARRIED: note: `jam` of the loop over `%i` in `@running` is refused
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
// APART: error: iterations over `%i` are not shown to be independent in `y`
// APART: note: `jam` of the loop over `%i` in `@shift` is refused
func @shift(%x: buffer<4x4xf32, argument>, %y: buffer<5x4xf32, argument>) {
  for [0, 4] (%i: index) {
    for [0, 4] (%j: index) {
      %v = load %y[%i, %j]
      store %v, %y[%i + 1, %j]
    }
  }
  return
}
