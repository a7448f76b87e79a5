// A quotient stays inside of its buffer in tiles too, whose bound is a minimum.
// RUN: mlgc opt %s --schedule | FileCheck %s
// CHECK: for [4096*%i_o, min(3*A, 4096*%i_o + 4096)] (%i: index) attributes {kind = "vector", lanes = 64} {
// CHECK-NEXT: load %x[%i floordiv 3] : f32
func @repeat(%x: buffer<[A]xf32, argument>, %y: buffer<[3*A]xf32, argument>) {
  for [0, 3*A] (%i: index) attributes {kind = "parallel"} {
    %0 = load %x[%i floordiv 3] : f32
    store %0, %y[%i]
  }
  return
}
// CHECK-LABEL: func @rows
// CHECK: load %x[0, %i mod 5] : f32
// CHECK: load %x[%i_2 floordiv (5*A), %i_2 mod 5] : f32
func @rows(%x: buffer<[A]x5xf32, argument>, %y: buffer<[5*A*A]xf32, argument>) {
  for [0, 5*A*A] (%i: index) attributes {kind = "parallel"} {
    %0 = load %x[%i floordiv (5*A), %i mod 5] : f32
    store %0, %y[%i]
  }
  return
}
// CHECK-LABEL: func @least
func @least(%y: buffer<[max(0, min(3, B - 1))]xf32, argument>) {
  for [0, max(0, min(3, B - 1))] (%i: index) attributes {kind = "parallel"} {
    %0 = literal {dtype = f32, value = 1.0} : f32
    store %0, %y[%i]
  }
  return
}
