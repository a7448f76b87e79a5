// Wherever the rewrites are stopped, what has a computed size stands behind the op that says it.
// RUN: mlgc opt %s --plan --rewrites-limit=0 > %t
// RUN: mlgc opt %s --plan --rewrites-limit=1 > %t
// RUN: mlgc opt %s --plan --rewrites-limit=2 > %t
// RUN: mlgc opt %s --plan --rewrites-limit=3 > %t
// RUN: FileCheck %s < %t
// CHECK-LABEL: func @f(
// CHECK: bind_size
// CHECK: %c = alloc %y : buffer<[k]
func @sum(%x: buffer<[N]xf32, argument>, %m: buffer<i64, argument>) {
  %0 = literal {dtype = i64, value = 2}
  store %0, %m[]
  return
}
func @copy(%x: buffer<[N]xf32, argument>, %y: buffer<[M]xf32, argument>) {
  %0 = literal {dtype = f32, value = 2.0}
  for [0, M] (%i: index) {
    store %0, %y[%i]
    yield
  }
  return
}
func @one(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %0 = literal {dtype = f32, value = 2.0}
  store %0, %y[]
  return
}
func @f(%x: buffer<[B]xf32, argument>, %y: buffer<[k]xf32, argument>, %z: buffer<f32, argument>, %w: buffer<f32, argument>) attributes {results = 3} {
  %a = alloc : buffer<[B]xf32, arena>
  launch @copy, %x, %a
  %b = alloc : buffer<[B]xf32, arena>
  launch @copy, %x, %b
  %m = alloc : buffer<i64, arena>
  launch @sum, %x, %m
  bind_size %m {name = "k"}
  %c = alloc : buffer<[k]xf32, arena>
  launch @copy, %x, %c
  launch @one, %a, %z
  launch @one, %b, %w
  launch @copy, %c, %y
  return
}
