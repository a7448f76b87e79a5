// What `pad-load` and `distribute` are refused for; their examples are those of `mlgc passes`.
// RUN: %exits 1 mlgc opt %s --pass-pipeline='pad-load{function=more loop=i buffer=x}' 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: %exits 1 mlgc opt %s --pass-pipeline='pad-load{function=plain loop=i buffer=x}' 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: %exits 1 mlgc opt %s --pass-pipeline='distribute{function=plain loop=i}' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %exits 1 mlgc opt %s --pass-pipeline='distribute{function=same loop=i}' 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: %exits 1 mlgc opt %s --pass-pipeline='distribute{function=front loop=i}' 2>&1 | FileCheck %s --check-prefix=FRONT
// RUN: %exits 1 mlgc opt %s --pass-pipeline='pad-load{function=arm loop=i buffer=x}' 2>&1 | FileCheck %s --check-prefix=ARM
// RUN: %exits 1 mlgc opt %s --pass-pipeline='pad-load{function=far loop=i buffer=x}' 2>&1 | FileCheck %s --check-prefix=FAR
// MORE: error: the branch around `load` does not fit the transform: its guard asks for more than that a subscript is in bounds
// MORE: note: `pad-load` of the loop over `%i` in `@more` is refused
func @more(%x: buffer<8xf32, argument>, %y: buffer<8xf32, argument>) {
  for [0, 8] (%i: index) {
    %in = guard [%i - 1, 5 - 2*%i]
    %v = if %in {
      %e = load %x[%i - 1]
      yield %e
    } else {
      %z = literal {dtype = f32, value = 0.0}
      yield %z
    }
    store %v, %y[%i]
  }
  return
}
// PLAIN: error: there is nothing to pad: the load is under no guard
// PLAIN: note: `pad-load` of the loop over `%i` in `@plain` is refused
// NONE: error: the loop over `%i` holds no loop, expected one that reduces
// NONE: note: `distribute` of the loop over `%i` in `@plain` is refused
func @plain(%x: buffer<8xf32, argument>, %y: buffer<8xf32, argument>) {
  for [0, 8] (%i: index) {
    %v = load %x[%i]
    store %v, %y[%i]
  }
  return
}
// SAME: error: the transform would reorder accesses to memory in the loop over `%i`: ops after the reduction write what it reads
// SAME: note: `distribute` of the loop over `%i` in `@same` is refused
func @same(%x: buffer<8x4xf32, argument>) {
  for [0, 8] (%i: index) {
    %z = literal {dtype = f32, value = 0.0}
    %s = for [0, 4] (%k: index, %a = %z) {
      %v = load %x[%i, %k]
      %n = add %a, %v
      yield %n
    }
    store %s, %x[%i, 0]
  }
  return
}
// FRONT: error: the transform would reorder accesses to memory in the loop over `%i`: ops before the result of the reduction write
// FRONT: note: `distribute` of the loop over `%i` in `@front` is refused
func @front(%x: buffer<6x4xf32, argument>, %c: buffer<1xf32, argument>, %y: buffer<6xf32, argument>) {
  for [0, 6] (%i: index) {
    %a = load %c[0]
    %d = add %a, %a
    store %d, %c[0]
    %z = literal {dtype = f32, value = 0.0}
    %s = for [0, 4] (%k: index, %b = %z) {
      %v = load %x[%i, %k]
      %n = add %b, %v
      yield %n
    }
    %e = exp %s
    store %e, %y[%i]
  }
  return
}
// ARM: error: the branch around `load` does not fit the transform: it does not choose between the element and a number
// ARM: note: `pad-load` of the loop over `%i` in `@arm` is refused
func @arm(%x: buffer<8xf32, argument>, %y: buffer<8xf32, argument>, %z: buffer<8xf32, argument>) {
  for [0, 8] (%i: index) {
    %in = guard [%i - 1]
    %v = if %in {
      %e = load %x[%i - 1]
      store %e, %z[%i]
      yield %e
    } else {
      %n = literal {dtype = f32, value = 0.0}
      yield %n
    }
    store %v, %y[%i]
  }
  return
}
// FAR: error: the transform would make 7000001 elements of a copy, and the limit is 262144
// FAR: note: `pad-load` of the loop over `%i` in `@far` is refused
func @far(%x: buffer<8xf32, argument>, %y: buffer<8xf32, argument>) {
  for [0, 8] (%i: index) {
    %in = guard [1000000*%i - 1, 8 - 1000000*%i]
    %v = if %in {
      %e = load %x[1000000*%i - 1]
      yield %e
    } else {
      %n = literal {dtype = f32, value = 0.0}
      yield %n
    }
    store %v, %y[%i]
  }
  return
}
