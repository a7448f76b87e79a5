// The kernel of a copy that is not made goes with it: alone it would be a program of its own.
// RUN: mlgc opt %s --plan | FileCheck %s
// CHECK-NOT: @copy
// CHECK-LABEL: func @f(
// CHECK-NEXT: launch @twice, %x, %y
// CHECK-NEXT: return
// CHECK-NOT: @copy
func @twice(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %0 = load %a[%i] : f32
    %1 = add %0, %0 : f32
    store %1, %b[%i]
  }
  return
}
func @copy(%a: buffer<[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) {
    %0 = load %a[%i] : f32
    store %0, %b[%i]
  }
  return
}
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<[N]xf32, arena>
  launch @twice, %x, %t
  launch @copy, %t, %y
  return
}
