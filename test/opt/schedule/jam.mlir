// Copies of a loop's iterations in the loops inside: a tile of 2 by 2 sums stands in the loop over their terms, lanes
// over the terms keep one for each, and what a loop carries from one iteration to the next goes from copy to copy.
// RUN: mlgc opt %s --pass-pipeline='jam{function=product loop=j factor=2},jam{function=product loop=i factor=2}' | FileCheck %s
// RUN: mlgc opt %s --pass-pipeline='vectorize{function=product loop=k lanes=8},jam{function=product loop=j factor=2}' | FileCheck %s --check-prefix=LANES
// RUN: mlgc opt %s --pass-pipeline='jam{function=best loop=j}' | FileCheck %s --check-prefix=BEST
// CHECK: for [0, M floordiv 2] (%i_o: index) {
// CHECK-NEXT: for [0, 3] (%j_o: index) {
// CHECK-NEXT: %[[S:.*]], %{{.*}}, %{{.*}}, %{{.*}} = for [0, K] (%k: index, %[[A:.*]] = %zero, {{.*}} = %zero, {{.*}} = %zero, {{.*}} = %zero) {
// CHECK-NEXT: %[[B:.*]] = load %b[%k, 2*%j_o]
// CHECK-NEXT: %[[B2:.*]] = load %b[%k, 2*%j_o + 1]
// CHECK-NEXT: %[[X:.*]] = load %a[2*%i_o, %k]
// CHECK-NEXT: %[[P:.*]] = mul %[[X]], %[[B]]
// CHECK-NEXT: add %[[A]], %[[P]]
// CHECK-NEXT: mul %[[X]], %[[B2]]
// CHECK: load %a[2*%i_o + 1, %k]
// CHECK: store %[[S]], %c[2*%i_o, 2*%j_o]
// CHECK: store %{{.*}}, %c[2*%i_o + 1, 2*%j_o + 1]
// CHECK: for [2*(M floordiv 2), M] (%i_tail: index) {
// LANES: attributes {combine = ["add", "add"], kind = "vector", lanes = 8} {
func @product(%a: buffer<[M]x[K]xf32, argument>, %b: buffer<[K]x6xf32, argument>, %c: buffer<[M]x6xf32, argument>) {
  %zero = literal {dtype = f32, value = 0.0}
  for [0, M] (%i: index) {
    for [0, 6] (%j: index) {
      %sum = for [0, K] (%k: index, %acc = %zero) {
        %0 = load %a[%i, %k]
        %1 = load %b[%k, %j]
        %2 = mul %0, %1
        %3 = add %acc, %2
        yield %3
      }
      store %sum, %c[%i, %j]
    }
  }
  return
}
// BEST: %[[T0:.*]], %[[T1:.*]] = for [0, K] (%k: index,
// BEST: %[[M0:.*]] = maximum %low, %[[T0]]
// BEST-NEXT: %[[M1:.*]] = maximum %[[M0]], %[[T1]]
// BEST-NEXT: store %[[M1]], %y[]
func @best(%b: buffer<2x[K]xf32, argument>, %y: buffer<f32, argument>) {
  %low = literal {dtype = f32, value = -100.0}
  %zero = literal {dtype = f32, value = 0.0}
  %best = for [0, 2] (%j: index, %m = %low) {
    %sum = for [0, K] (%k: index, %acc = %zero) {
      %1 = load %b[%j, %k]
      %2 = add %acc, %1
      yield %2
    }
    %3 = maximum %m, %sum
    yield %3
  }
  store %best, %y[]
  return
}
