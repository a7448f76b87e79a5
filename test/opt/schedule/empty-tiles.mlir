// More iterations to a tile than there can be: the loop over full tiles never runs, and what it would touch conflicts
// with nothing.
// RUN: mlgc opt %s --pass-pipeline='jam{loop=i factor=12}' | FileCheck %s
// CHECK: for [0, S] (%s: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, B floordiv 12] (%i_o: index) {
// CHECK: for [12*(B floordiv 12), B] (%i_tail: index) {
func @f(%x: buffer<[B]x4xf32, argument>, %y: buffer<[S]x[B]x4xf32, argument>) where 1 <= B <= 8 {
  for [0, S] (%s: index) attributes {kind = "parallel"} {
    for [0, B] (%i: index) {
      for [0, 4] (%j: index) {
        %0 = load %x[%i, %j]
        store %0, %y[%s, %i, %j]
      }
    }
  }
  return
}
