// A buffer that is named gets the order that is asked for. @copy is launched on %u too, which stays, so that it is
// copied for %t; @columns is not, and changes, name and all. Two buffers that change alike share what is launched on them.
// RUN: mlgc opt %s --pass-pipeline='layout{buffer=t order=1,0}' --statistics > %t 2>&1
// RUN: FileCheck %s --input-file=%t
// RUN: mlgc opt %s --pass-pipeline='layout{buffer=t order=1,0},layout{buffer=u order=1,0}' | FileCheck %s --check-prefix=BOTH
// CHECK: changed: 1
// CHECK: copied: 1
// CHECK: func @copy.relaid(%a: buffer<[M]x[N]xf32, argument>, %b: buffer<[N]x[M]xf32, argument>)
// CHECK-NEXT: for [0, N] (%j: index)
// CHECK-NEXT: for [0, M] (%i: index)
// CHECK-NEXT: load %a[%i, %j]
// CHECK-NEXT: store %{{.*}}, %b[%j, %i]
// CHECK: func @copy(%a: buffer<[M]x[N]xf32, argument>, %b: buffer<[M]x[N]xf32, argument>)
// CHECK-NEXT: for [0, M] (%i: index)
// CHECK: func @columns.relaid(%a: buffer<[N]x[M]xf32, argument>, %b: buffer<[N]xf32, argument>)
// CHECK: load %a[%j, %i]
// CHECK: %t = alloc : buffer<[N]x[M]xf32, arena>
// CHECK-NEXT: launch @copy.relaid, %x, %t
// CHECK-NEXT: %u = alloc : buffer<[M]x[N]xf32, arena>
// CHECK-NEXT: launch @copy, %x, %u
// CHECK-NEXT: launch @columns.relaid, %t, %y
// CHECK-NEXT: launch @copy, %u, %z
// BOTH: func @copy.relaid(%a: buffer<[M]x[N]xf32, argument>, %b: buffer<[N]x[M]xf32, argument>)
// BOTH: func @copy.relaid_(%a: buffer<[N]x[M]xf32, argument>, %b: buffer<[M]x[N]xf32, argument>)
// BOTH-NOT: func @copy
// BOTH: launch @copy.relaid, %x, %t
// BOTH: launch @copy.relaid, %x, %u
// BOTH: launch @copy.relaid_, %u, %z
func @copy(%a: buffer<[M]x[N]xf32, argument>, %b: buffer<[M]x[N]xf32, argument>) {
  for [0, M] (%i: index) attributes {kind = "parallel"} {
    for [0, N] (%j: index) attributes {kind = "parallel"} {
      %0 = load %a[%i, %j]
      store %0, %b[%i, %j]
    }
  }
  return
}
func @columns(%a: buffer<[M]x[N]xf32, argument>, %b: buffer<[N]xf32, argument>) {
  for [0, N] (%j: index) attributes {kind = "parallel"} {
    %0 = literal {dtype = f32, value = 0.0}
    %1 = for [0, M] (%i: index, %2 = %0) {
      %3 = load %a[%i, %j]
      %4 = maximum %2, %3
      yield %4
    }
    store %1, %b[%j]
  }
  return
}
func @f(%x: buffer<[M]x[N]xf32, argument>, %y: buffer<[N]xf32, argument>, %z: buffer<[M]x[N]xf32, argument>) attributes {results = 2} {
  %t = alloc : buffer<[M]x[N]xf32, arena>
  launch @copy, %x, %t
  %u = alloc : buffer<[M]x[N]xf32, arena>
  launch @copy, %x, %u
  launch @columns, %t, %y
  launch @copy, %u, %z
  return
}
