// What the host function does not own, or cannot follow, keeps the order of its axes.
// RUN: %exits 1 mlgc opt %s --pass-pipeline='layout{buffer=t order=1,0}' 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: %exits 1 mlgc opt %s --pass-pipeline='layout{buffer=v order=1,0}' 2>&1 | FileCheck %s --check-prefix=OWNED
// RUN: %exits 1 mlgc opt %s --pass-pipeline='layout{buffer=x order=1,0}' 2>&1 | FileCheck %s --check-prefix=CALLER
// RUN: %exits 1 mlgc opt %s --pass-pipeline='layout{buffer=u order=1,0}' 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: %exits 2 mlgc opt %s --pass-pipeline='layout{buffer=u order=1}' 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: %exits 2 mlgc opt %s --pass-pipeline='layout{buffer=u order=0,0}' 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: %exits 2 mlgc opt %s --pass-pipeline='layout{buffer=w order=1,0}' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: %exits 2 mlgc opt %s --pass-pipeline='layout{order=1,0}' 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: %exits 2 mlgc opt %s --pass-pipeline='layout{function=f}' 2>&1 | FileCheck %s --check-prefix=ALONE-F
// RUN: %exits 2 mlgc opt %s --pass-pipeline='layout{function=g buffer=w order=1,0}' 2>&1 | FileCheck %s --check-prefix=DRIVER
// VIEW: error: the layout of `t` cannot change: `v` is a view of it
// OWNED: error: the layout of `v` cannot change: the host function does not allocate it in the arena
// CALLER: error: the layout of `x` cannot change: the host function does not allocate it in the arena
// INSIDE: error: the layout of `u` cannot change: `@flat` does more than load and store its elements
// ALONE: mlgc: error: option `order` of pass `layout`: expected `buffer` beside it: without, all buffers are looked at
// ALONE-F: mlgc: error: option `function` of pass `layout`: expected `buffer` beside it: without, all buffers are looked at
// RANK: mlgc: error: option `order` of pass `layout`: expected each axis from 0 to 1 once
// NAME: mlgc: error: option `buffer` of pass `layout`: `@f` has 0 buffers `%w`, not one
// DRIVER: mlgc: error: option `function` of pass `layout`: there is no host function `@g`
func @copy(%a: buffer<[M]x8xf32, argument>, %b: buffer<[M]x8xf32, argument>) {
  for [0, M] (%i: index) {
    for [0, 8] (%j: index) {
      %0 = load %a[%i, %j]
      store %0, %b[%i, %j]
    }
  }
  return
}
func @flat(%a: buffer<[M]x8xf32, argument>, %b: buffer<[M]x8xf32, argument>) {
  %c = buffer_view %a : buffer<[8*M]xf32, argument>
  for [0, M] (%i: index) {
    for [0, 8] (%j: index) {
      %0 = load %c[8*%i + %j]
      store %0, %b[%i, %j]
    }
  }
  return
}
func @f(%x: buffer<[M]x8xf32, argument>, %y: buffer<[M]x8xf32, argument>) attributes {results = 1} {
  %t = alloc : buffer<[M]x8xf32, arena>
  launch @copy, %x, %t
  %v = buffer_view %t : buffer<[M]x8xf32, arena>
  %u = alloc : buffer<[M]x8xf32, arena>
  launch @copy, %v, %u
  launch @flat, %u, %y
  return
}
