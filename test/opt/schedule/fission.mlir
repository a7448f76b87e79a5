// Loop fission: a value that a later loop needs goes through memory, a number that needs none is computed again; what
// cannot be split stays. The example is that of `mlgc passes`.
// RUN: mlgc opt %s --pass-pipeline='fission{function=late loop=i}' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlgc eval %s --function=late --random-inputs=1 --output=@%t.npz
// RUN: mlgc eval %t.mlir --function=late --random-inputs=1 --expect=@%t.npz | FileCheck %s --check-prefix=SAME
// RUN: %exits 1 mlgc opt %s --pass-pipeline='fission{function=one loop=i}' 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %exits 1 mlgc opt %s --pass-pipeline='fission{function=ends loop=i}' 2>&1 | FileCheck %s --check-prefix=ENDS
// SAME: y: agrees
// CHECK: %s = alloc : buffer<5x6xf32, arena>
// CHECK-NEXT: %total = alloc : buffer<5xf32, arena>
// CHECK-NEXT: for [0, 5] (%i: index) attributes {kind = "parallel"} {
// CHECK-NEXT: %zero = literal
// CHECK-NEXT: for [0, 6] (%j: index) {
// CHECK: store %{{.*}}, %s[%i, %j]
// CHECK: for [0, 5] (%i_2: index) attributes {kind = "parallel"} {
// CHECK-NEXT: %half = literal {dtype = f32, value = 0.5}
// CHECK: load %s[%i_2, %l]
// CHECK: store %{{.*}}, %total[%i_2]
// CHECK: for [0, 5] (%i_3: index) attributes {kind = "parallel"} {
// CHECK: load %total[%i_3]
// CHECK: load %w[%{{.*}}, %f]
func @late(%x: buffer<5x4xf32, argument>, %k: buffer<6x4xf32, argument>, %w: buffer<6x3xf32, argument>, %y: buffer<5x3xf32, argument>) {
  for [0, 5] (%i: index) attributes {kind = "parallel"} {
    %half = literal {dtype = f32, value = 0.5}
    %zero = literal {dtype = f32, value = 0.0}
    %s = alloc : buffer<6xf32, thread>
    for [0, 6] (%j: index) {
      %0 = for [0, 4] (%d: index, %a = %zero) {
        %1 = load %x[%i, %d]
        %2 = load %k[%j, %d]
        %3 = mul %1, %2
        %4 = add %a, %3
        yield %4
      }
      store %0, %s[%j]
    }
    %total = for [0, 6] (%l: index, %b = %half) {
      %0 = load %s[%l]
      %1 = add %b, %0
      yield %1
    }
    for [0, 3] (%f: index) {
      %0 = for [0, 6] (%m: index, %c = %zero) {
        %1 = load %s[%m]
        %2 = load %w[%m, %f]
        %3 = mul %1, %2
        %4 = add %c, %3
        yield %4
      }
      %5 = sub %0, %total
      store %5, %y[%i, %f]
    }
  }
  return
}
// ONE: error: there is nothing to separate: the loop holds a single nest
// ONE: note: `fission` of the loop over `%i` in `@one` is refused
func @one(%x: buffer<5x4xf32, argument>, %y: buffer<5x4xf32, argument>) {
  for [0, 5] (%i: index) {
    for [0, 4] (%j: index) {
      %0 = load %x[%i, %j]
      store %0, %y[%i, %j]
    }
  }
  return
}
// ENDS: error: the loop over `%i` may abort, and the transform would change what has run before
// ENDS: note: `fission` of the loop over `%i` in `@ends` is refused
func @ends(%x: buffer<5x4xf32, argument>, %y: buffer<5xf32, argument>) {
  for [0, 5] (%i: index) {
    %n = load %x[%i, 0]
    store %n, %y[%i]
    check [3 - %i] {message = "too many"}
  }
  return
}
