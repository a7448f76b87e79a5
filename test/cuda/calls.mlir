// Calls outside of -O2: on a GPU too their kernels are launched by one function. emulated_test.py runs what is emitted.
// RUN: mlgc emit %s -O0 --random-weights=1 --target=cuda | FileCheck %s
// CHECK-NOT: call @
// CHECK: mlgc_unit_calls
state @n : tensor<f32>
func @count(%x: tensor<[N]x3xf32>) -> tensor<[N]x3xf32> updates (@n = %next) {
  %n = read @n
  %y = add %x, %n
  %next = add %n {other = 1.0}
  return %y, %next
}
func @f(%x: tensor<[B]x3xf32>, %go: tensor<i1>) -> tensor<[B]x3xf32> {
  %chosen = if %go {
    %a = call @count, %x
    yield %a
  } else {
    yield %x
  }
  %y = for [0, 3] (%i: index, %c = %chosen) {
    %d = call @count, %c
    yield %d
  }
  return %y
}
