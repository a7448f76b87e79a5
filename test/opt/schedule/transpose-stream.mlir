// What a store states goes with each of its copies: the hint, and at which sizes it is followed.
// RUN: mlgc opt %s --pass-pipeline='transpose-tiles{loop=i size=8 group=2}' | FileCheck %s
// CHECK-COUNT-3: store %{{[0-9]+}}, %y[{{.*}}] {hint = "stream", where = [8*M*N]}
// CHECK-NOT: store %{{[0-9]+}}, %y[{{.*}}]{{$}}
func @f(%x: buffer<[N]x[M]xf32, argument>, %y: buffer<[M]x[N]xf32, argument>) {
  for [0, M] (%i: index) {
    for [0, N] (%j: index) {
      %0 = load %x[%j, %i]
      store %0, %y[%i, %j] {hint = "stream", where = [8*M*N]}
    }
  }
  return
}
