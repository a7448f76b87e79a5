// An inner `for` may stay: in its expressions the outer index goes, and what cancels with it is read no more. A `for` whose
// index is carried round stays, and so does one of the loop level.
// RUN: mlgc opt %s --simplify-control-flow=unroll=2 > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mlgc opt %t.mlir | diff %t.mlir -
// CHECK-LABEL: func @inner
// CHECK-NEXT: %[[A:.*]] = for [0, N] (%{{.*}}: index, %[[C:.*]] = %n)
// CHECK-NEXT: %[[P:.*]] = apply [0]
// CHECK-NEXT: %[[S:.*]] = add %[[C]], %[[P]]
// CHECK-NEXT: yield %[[S]]
// CHECK: for [1, N + 1] (%[[J:.*]]: index, %{{.*}} = %[[A]])
// CHECK-NEXT: apply [%[[J]]]
func @inner(%n: tensor<i64>, %x: tensor<[N]xf32>) -> tensor<i64> {
  %r = for [0, 2] (%k: index, %c = %n) {
    %t = for [%k, %k + N] (%j: index, %d = %c) {
      %p = apply [%j*%k]
      %s = add %d, %p
      yield %s
    }
    yield %t
  }
  return %r
}
// CHECK-LABEL: func @carried
// CHECK: for [0, 2] (%k: index
func @carried(%n: tensor<i64>) -> tensor<i64> {
  %r = for [0, 2] (%k: index, %c = %n) {
    %last, %t = for [0, 9] (%j: index, %i = %k, %d = %c) {
      %p = apply [%i]
      %s = add %d, %p
      yield %j, %s
    }
    yield %t
  }
  return %r
}
// CHECK-LABEL: func @loops
// CHECK: for [0, 2]
func @loops(%x: buffer<2xf32, argument>, %y: buffer<2xf32, argument>) {
  for [0, 2] (%i: index) {
    %v = load %x[%i]
    store %v, %y[%i]
  }
  return
}
