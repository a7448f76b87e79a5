// In other loops a reduction's tiles come first, each with copies of the loops and of what it needs of them; partial
// sums of f32 stay f32 between. Tiles of one iteration have no loop. Inner loops that only pass on what they carry are
// part of the reduction.
// RUN: mlgc opt %s --pass-pipeline='rfactor{loop=k size=8}' | FileCheck %s
// RUN: mlgc opt %s --pass-pipeline='rfactor{loop=k size=1}' | FileCheck %s --check-prefix=ONE
// RUN: mlgc opt %s --pass-pipeline='rfactor{loop=k size=8}' | mlgc eval - --dim=M=3 --dim=K=21 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// RUN: mlgc opt %s --pass-pipeline='rfactor{loop=k size=8}' | mlgc opt - --schedule | mlgc eval - --dim=M=3 --dim=K=21 --random-inputs=1 --compare=cpp | FileCheck %s --check-prefix=AGREES
// RUN: %exits 1 mlgc opt %s --pass-pipeline='rfactor{loop=k size=8}' --numerics=exact 2>&1 | FileCheck %s --check-prefix=EXACT
// CHECK: %partial = alloc : buffer<[K ceildiv 8]x[M]x6xf32, arena>
// CHECK-NEXT: for [0, K ceildiv 8] (%k_o: index) attributes {kind = "parallel"} {
// CHECK-NEXT: for [0, M] (%i_o: index) attributes {kind = "parallel"} {
// CHECK-NEXT: %[[S:.*]] = load %s[%i_o] : f32
// CHECK-NEXT: for [1, 7] (%j_o: index) {
// CHECK: for [8*%k_o, min(8*%k_o + 8, K)] (%k: index, %[[C:.*]] = %{{.*}}) {
// CHECK-NEXT: for [0, 5] (%l: index, %{{.*}} = %[[C]]) {
// CHECK: mul %[[S]],
// CHECK: %[[F:.*]] = cast %{{.*}} {dtype = f32} : f32
// CHECK-NEXT: store %[[F]], %partial[%k_o, %i_o, %j_o - 1]
// CHECK: for [0, M] (%i: index) attributes {kind = "parallel"} {
// CHECK: for [0, K ceildiv 8] (%k_p: index, %[[ALL:.*]] = %{{.*}}) {
// CHECK-NEXT: %[[P:.*]] = load %partial[%k_p, %i, %j - 1] : f32
// CHECK-NEXT: %[[W:.*]] = cast %[[P]] {dtype = f64} : f64
// CHECK-NEXT: add %[[ALL]], %[[W]] : f64
// ONE: for [0, K] (%k_o: index) attributes {kind = "parallel"} {
// ONE-NOT: (%k: index
// ONE: load %x[%i_o, %j_o, %k_o, %l]
// AGREES: agrees
// EXACT: rfactor-in-loops.mlir:[[#@LINE+7]]:14: error: `rfactor` of the loop over `%k` in `@f` is refused: it changes the order of roundings, which --numerics=exact does not admit
func @f(%x: buffer<[M]x7x[K]x5xf32, argument>, %s: buffer<[M]xf32, argument>, %y: buffer<[M]x7xf32, argument>) attributes {results = 1} {
  for [0, M] (%i: index) attributes {kind = "parallel"} {
    %scale = load %s[%i]
    store %scale, %y[%i, 0]
    for [1, 7] (%j: index) {
      %zero = literal {dtype = f64, value = 0.0}
      %sum = for [0, K] (%k: index, %a = %zero) {
        %inner = for [0, 5] (%l: index, %b = %a) {
          %0 = load %x[%i, %j, %k, %l]
          %1 = mul %scale, %0
          %2 = cast %1 {dtype = f64}
          %3 = add %b, %2
          yield %3
        }
        yield %inner
      }
      %r = cast %sum {dtype = f32}
      store %r, %y[%i, %j]
    }
  }
  return
}
