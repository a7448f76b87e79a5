// What nobody uses goes to the end, where the size is known that a call computes.
// RUN: mlgc opt %s --plan | FileCheck %s
// CHECK-LABEL: func @f(
// CHECK: bind_size
// CHECK: launch
// CHECK: %dead = alloc : buffer<[k]xf32, arena>
// CHECK-NEXT: return
func @count(%n: buffer<i64, argument>, %c: buffer<i64, argument>) {
  %0 = load %n[] : i64
  store %0, %c[]
  return
}
func @fill(%y: buffer<[k]xf32, argument>) {
  %0 = literal {dtype = f32, value = 1.0} : f32
  for [0, k] (%i: index) {
    store %0, %y[%i]
  }
  return
}
func @f(%n: buffer<i64, argument>, %y: buffer<[k]xf32, argument>) attributes {results = 1} {
  %c = alloc : buffer<i64, arena>
  launch @count, %n, %c
  bind_size %c {name = "k"}
  %dead = alloc : buffer<[k]xf32, arena>
  launch @fill, %y
  return
}
