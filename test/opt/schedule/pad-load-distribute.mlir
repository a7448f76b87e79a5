// What `pad-load` and `distribute` are refused for; their examples are those of `mlgc passes`.
// RUN: %exits 1 mlgc opt %s --pass-pipeline='pad-load{function=more loop=i buffer=x}' 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: %exits 1 mlgc opt %s --pass-pipeline='pad-load{function=plain loop=i buffer=x}' 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: %exits 1 mlgc opt %s --pass-pipeline='distribute{function=plain loop=i}' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %exits 1 mlgc opt %s --pass-pipeline='distribute{function=same loop=i}' 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: %exits 1 mlgc opt %s --pass-pipeline='distribute{function=front loop=i}' 2>&1 | FileCheck %s --check-prefix=FRONT
// RUN: %exits 1 mlgc opt %s --pass-pipeline='pad-load{function=arm loop=i buffer=x}' 2>&1 | FileCheck %s --check-prefix=ARM
// RUN: %exits 1 mlgc opt %s --pass-pipeline='pad-load{function=far loop=i buffer=x}' 2>&1 | FileCheck %s --check-prefix=FAR
// MORE: error: `pad-load` of the loop over `%i` in `@more` is refused: a guard asks for more than that a subscript is inside of bounds
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
// PLAIN: error: `pad-load` of the loop over `%i` in `@plain` is refused: it is under no guard
// NONE: error: `distribute` of the loop over `%i` in `@plain` is refused: there is no loop in the innermost one
func @plain(%x: buffer<8xf32, argument>, %y: buffer<8xf32, argument>) {
  for [0, 8] (%i: index) {
    %v = load %x[%i]
    store %v, %y[%i]
  }
  return
}
// SAME: error: `distribute` of the loop over `%i` in `@same` is refused: what stands behind the loop inside writes what it reads
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
// FRONT: error: `distribute` of the loop over `%i` in `@front` is refused: what stands in front of the result, or the loop inside, writes to memory
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
// ARM: error: `pad-load` of the loop over `%i` in `@arm` is refused: it is no choice between an element and a number
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
// FAR: error: `pad-load` of the loop over `%i` in `@far` is refused: the copy would be many times the buffer
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
