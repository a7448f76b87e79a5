// Steps carry the strategy that a loop notes along: to the loop over tiles, with the loop that changes places, to what two
// loops become, to the loop over the tiles of a reduction; it ends with a loop that is written out.
// RUN: mlgc opt %s --pass-pipeline='tile{loop=i size=8 function=copy}' | FileCheck %s --check-prefix=TILE
// RUN: mlgc opt %s --pass-pipeline='interchange{loop=i function=copy}' | FileCheck %s --check-prefix=INTERCHANGE
// RUN: mlgc opt %s --pass-pipeline='collapse{loop=i function=copy}' | FileCheck %s --check-prefix=COLLAPSE
// RUN: mlgc opt %s --pass-pipeline='rfactor{loop=k size=64 function=total}' | FileCheck %s --check-prefix=RFACTOR
// RUN: mlgc opt %s --pass-pipeline='transpose-tiles{loop=i size=8 function=turned}' | FileCheck %s --check-prefix=TURNED
// TILE: for [0, N ceildiv 8] (%i_o: index) attributes {schedule.strategy = "mine"} {
// TILE-NEXT: for [8*%i_o, min(8*%i_o + 8, N)] (%i: index) {
// TILE-NEXT: for [0, 8] (%j: index) {
// INTERCHANGE: for [0, 8] (%j: index) {
// INTERCHANGE-NEXT: for [0, N] (%i: index) attributes {schedule.strategy = "mine"} {
// COLLAPSE: for [0, 8*N] (%i_j: index) attributes {schedule.strategy = "mine"} {
// RFACTOR: for [0, N ceildiv 64] (%k_o: index) attributes {kind = "parallel", schedule.strategy = "mine"} {
// RFACTOR: = for [64*%k_o, min(64*%k_o + 64, N)] (%k: index, %{{.*}} = %{{.*}}) {
// RFACTOR: = for [0, N ceildiv 64] (%k_p: index, %{{.*}} = %{{.*}}) {
// TURNED: for [0, 1] (%j_o: index) attributes {schedule.strategy = "mine"} {
func @copy(%x: buffer<[N]x8xf32, argument>, %y: buffer<[N]x8xf32, argument>) {
  for [0, N] (%i: index) attributes {schedule.strategy = "mine"} {
    for [0, 8] (%j: index) {
      %0 = load %x[%i, %j] : f32
      store %0, %y[%i, %j]
    }
  }
  return
}
func @total(%x: buffer<[N]xf32, argument>, %y: buffer<f32, argument>) {
  %0 = literal {dtype = f32, value = 0.0} : f32
  %1 = for [0, N] (%k: index, %2 = %0) attributes {schedule.strategy = "mine"} {
    %3 = load %x[%k] : f32
    %4 = add %2, %3 : f32
    yield %4
  } : f32
  store %1, %y[]
  return
}
func @turned(%x: buffer<32x32xf32, argument>, %y: buffer<32x32xf32, argument>) {
  for [0, 32] (%i: index) attributes {schedule.strategy = "mine"} {
    for [0, 32] (%j: index) {
      %0 = load %x[%j, %i] : f32
      store %0, %y[%i, %j]
    }
  }
  return
}
