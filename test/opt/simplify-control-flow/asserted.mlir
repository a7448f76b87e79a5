// What is written stays, and so do the loop around it and the values that it needs.
// RUN: mlgc opt %s --simplify-control-flow=unroll=4 | FileCheck %s
// CHECK: for [0, 4]
// CHECK: store
func @f(%x: buffer<4xf32, argument>, %y: buffer<4xf32, argument>) {
  for [0, 4] (%i: index) {
    %v = load %x[%i]
    %w = neg %v
    %u = exp %v
    store %w, %y[%i]
  }
  return
}
