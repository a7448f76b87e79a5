// Of text at the loop level, the nest where a strategy that was asked for does not apply is pointed at.
// RUN: %exits 1 mlgc opt %s --pass-pipeline='schedule{strategy=elementwise-lanes}' 2>&1 | FileCheck %s
// CHECK: forced-located.mlir:[[#@LINE+7]]:3: error: strategy `elementwise-lanes` applies nowhere in the nest over `%i` of `@k`: there are loops in it
// CHECK-NEXT: for [0, N] (%i: index) attributes {kind = "parallel"} {
// CHECK-NEXT: ^
// CHECK-NEXT: forced-located.mlir:[[#@LINE+4]]:3: note: name the functions that shall have it with `function`, or leave the choice to the schedule
func @k(%x: buffer<[N]x8xf32, argument>, %y: buffer<[N]xf32, argument>) {
  %0 = literal {dtype = f32, value = 0.0} : f32

  for [0, N] (%i: index) attributes {kind = "parallel"} {
    %1 = for [0, 8] (%k: index, %2 = %0) {
      %3 = load %x[%i, %k] : f32
      %5 = add %2, %3 : f32
      yield %5
    } : f32
    store %1, %y[%i]
  }
  return
}
