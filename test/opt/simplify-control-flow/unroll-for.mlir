// A `for` is unrolled like a scan: its index becomes what it is in each turn, and loops inside turn as often as that says.
// RUN: mlgc opt %s --simplify-control-flow=unroll=3 | FileCheck %s
// RUN: mlgc opt %s --simplify-control-flow=unroll=3 --statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: mlgc opt %s --simplify-control-flow=unroll=2 | FileCheck %s --check-prefix=LESS
// COUNT: loops-unrolled: 4
// LESS: for [2, 5]
// LESS: for [0, %k]
// CHECK-LABEL: func @index
// CHECK-NEXT: %[[P0:.*]] = apply [5] : i64
// CHECK-NEXT: %[[S0:.*]] = add %n, %[[P0]]
// CHECK-NEXT: %[[P1:.*]] = apply [7] : i64
// CHECK-NEXT: %[[S1:.*]] = add %[[S0]], %[[P1]]
// CHECK-NEXT: %[[P2:.*]] = apply [9] : i64
// CHECK-NEXT: %[[S2:.*]] = add %[[S1]], %[[P2]]
// CHECK-NEXT: return %[[S2]]
func @index(%n: tensor<i64>) -> tensor<i64> {
  %r = for [2, 5] (%i: index, %c = %n) {
    %p = apply [2*%i + 1]
    %s = add %c, %p
    yield %s
  }
  return %r
}
// CHECK-LABEL: func @triangle
// CHECK-NEXT: %[[P0:.*]] = apply [N + 10]
// CHECK-NEXT: %[[S0:.*]] = add %n, %[[P0]]
// CHECK-NEXT: %[[P1:.*]] = apply [N + 20]
// CHECK-NEXT: %[[S1:.*]] = add %[[S0]], %[[P1]]
// CHECK-NEXT: %[[P2:.*]] = apply [N + 21]
// CHECK-NEXT: %[[S2:.*]] = add %[[S1]], %[[P2]]
// CHECK-NEXT: return %[[S2]]
func @triangle(%n: tensor<i64>, %x: tensor<[N]xf32>) -> tensor<i64> {
  %r = for [0, 3] (%k: index, %c = %n) {
    %t = for [0, %k] (%j: index, %d = %c) {
      %p = apply [10*%k + %j + N]
      %s = add %d, %p
      yield %s
    }
    yield %t
  }
  return %r
}
