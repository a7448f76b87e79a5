// A tile is full where its size divides the extent; else the last one is smaller, or what is left gets its own loop.
// RUN: mlgc opt %s --pass-pipeline='tile{function=even loop=i size=8},tile{function=odd loop=i size=8},tile{function=carried loop=k size=4 tail=loop}' | FileCheck %s
// CHECK-LABEL: func @even
// CHECK: for [0, N floordiv 8] (%i_o: index) {
// CHECK-NEXT: for [8*%i_o, 8*%i_o + 8] (%i: index) {
// CHECK-LABEL: func @odd
// CHECK: for [0, N ceildiv 8] (%i_o: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [8*%i_o, min(8*%i_o + 8, N)] (%i: index) {
// CHECK-LABEL: func @carried
// CHECK: %sum = for [0, N floordiv 4] (%k_o: index, %[[OUTER:.*]] = %zero) {
// CHECK-NEXT: %[[TILE:.*]] = for [4*%k_o, 4*%k_o + 4] (%k: index, %acc = %[[OUTER]]) {
// CHECK: yield %[[TILE]]
// CHECK: %[[REST:.*]] = for [4*(N floordiv 4), N] (%k_tail: index, %acc = %sum) {
// CHECK: store %[[REST]], %y[]
func @even(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) where N mod 8 == 0 {
  for [0, N] (%i: index) {
    %v = load %x[%i]
    store %v, %y[%i]
  }
  return
}
func @odd(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {
  for [0, N] (%i: index) attributes {kind = "parallel"} {
    %v = load %x[%i]
    store %v, %y[%i]
  }
  return
}
func @carried(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %zero = literal {dtype = f32, value = 0.0}
  %sum = for [0, N] (%k: index, %acc = %zero) {
    %v = load %x[%k]
    %n = add %acc, %v
    yield %n
  }
  store %sum, %y[]
  return
}
