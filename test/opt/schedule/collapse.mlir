// Loops become one where their elements follow each other in every buffer, unit axes between them aside; else they stay.
// RUN: mlgc opt %s --pass-pipeline='collapse{function=part loop=i}' | FileCheck %s
// RUN: %exits 1 mlgc opt %s --pass-pipeline='collapse{function=part loop=b}' 2>&1 | FileCheck %s --check-prefix=APART
// RUN: %exits 1 mlgc opt %s --pass-pipeline='collapse{function=late loop=i}' 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: %exits 1 mlgc opt %s --pass-pipeline='narrow{function=part loop=i}' 2>&1 | FileCheck %s --check-prefix=NARROW
// CHECK: %x_flat = buffer_view %x : buffer<[B]x[M*N]xf32, argument>
// CHECK-NEXT: for [0, B] (%b: index) {
// CHECK: for [0, M*N] (%i_j: index, %[[ACC:.*]] = %{{.*}}) {
// CHECK-NEXT: load %x_flat[%b, %i_j] : f32
// CHECK-NEXT: add %[[ACC]]
// APART: error: the loop over `%b` is not perfectly nested: it must hold one loop and nothing else
// APART: note: `collapse` of the loop over `%b` in `@part` is refused
// LATE: error: the bounds of the loop over `%j` do not fit the transform: the loop does not start at 0
// LATE: note: `collapse` of the loop over `%i` in `@late` is refused
// NARROW: error: the loop over `%i` does not carry a sum or product of f32 in f64 that starts as a number, which the transform needs
// NARROW: note: `narrow` of the loop over `%i` in `@part` is refused
func @part(%x: buffer<[B]x[M]x1x[N]xf32, argument>, %y: buffer<[B]xf32, argument>) {
  for [0, B] (%b: index) {
    %zero = literal {dtype = f32, value = 0.0}
    %sum = for [0, M] (%i: index, %s = %zero) {
      %row = for [0, N] (%j: index, %t = %s) {
        %v = load %x[%b, %i, 0, %j]
        %n = add %t, %v
        yield %n
      }
      yield %row
    }
    store %sum, %y[%b]
  }
  return
}
func @late(%x: buffer<[M]x[N]xf32, argument>) {
  for [0, M] (%i: index) {
    for [1, N] (%j: index) {
      %v = load %x[%i, %j]
      store %v, %x[%i, %j]
    }
  }
  return
}
