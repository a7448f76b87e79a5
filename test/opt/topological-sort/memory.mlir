// Loads and stores keep their order where one of them writes: here they leave none for the values.
// RUN: mlgc opt %s --topological-sort --split-input-file --verify-diagnostics
// RUN: sed '/^\/\/ -----/,$d' %s | mlgc opt - --topological-sort | FileCheck %s
// CHECK:      %old = load %x[0] : f32
// CHECK-NEXT: %one = literal {dtype = f32, value = 1.0} : f32
// CHECK-NEXT: store %one, %x[0]
// CHECK-NEXT: %new = load %x[0] : f32
// CHECK-NEXT: %s = add %old, %new : f32
// CHECK-NEXT: store %s, %x[0]
func @kept(%x: buffer<4xf32, argument>) {
  %old = load %x[0] : f32
  store %one, %x[0]
  %new = load %x[0] : f32
  store %s, %x[0]
  %s = add %old, %new : f32
  %one = literal {dtype = f32, value = 1.0} : f32
  return
}
// -----
func @knot(%x: buffer<4xf32, argument>) {
  // expected-error@+2 {{no order of these ops defines every value before its use: `store` uses `%a`, `%a` stays after `store`}}
  // expected-note@+1 {{break the cycle; a value of an earlier round is an argument that `while`, `for` or `scan` carries}}
  store %a, %x[0]
  %a = load %x[0] : f32 // expected-note {{`%a` is here}}
  return
}
