// A schedule by hand: rows in parallel, columns in tiles of lanes, the sum unrolled by 4 in front of its tail.
// RUN: mlgc opt %s --pass-pipeline='parallelize{loop=i},tile{loop=j size=16},interchange{loop=i},vectorize{loop=j},unroll{loop=k factor=4}' | FileCheck %s
// RUN: mlgc opt %s --pass-pipeline='vectorize{loop=k lanes=8}' | FileCheck %s --check-prefix=LANES
// CHECK: for [0, N ceildiv 16] (%j_o: index) {
// CHECK-NEXT: for [0, M] (%i: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [16*%j_o, min(16*%j_o + 16, N)] (%j: index) attributes {kind = "vector", lanes = 16} {
// CHECK: for [4*%k_o, 4*%k_o + 4] (%k: index, {{.*}}) attributes {kind = "unrolled"} {
// CHECK: for [4*(K floordiv 4), K] (%k_tail: index, {{.*}}) {
// LANES: %sum = for [0, K] (%k: index, %acc = %zero) attributes {combine = ["add"], kind = "vector", lanes = 8} {
func @matmul(%a: buffer<[M]x[K]xf32, argument>, %b: buffer<[K]x[N]xf32, argument>, %c: buffer<[M]x[N]xf32, argument>) {
  %zero = literal {dtype = f32, value = 0.0}
  for [0, M] (%i: index) {
    for [0, N] (%j: index) {
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
