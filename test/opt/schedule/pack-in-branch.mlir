// A nest that runs in an iteration of a parallel loop has scratch of that iteration, behind a branch too.
// RUN: mlgc opt %s --pass-pipeline='pack{loop=i buffer=w}' | FileCheck %s
// CHECK: if
// CHECK-NEXT: %packed = alloc : buffer<64xf32, thread>
func @f(%x: buffer<64x64xf32, argument>, %w: buffer<64x64xf32, argument>, %c: buffer<64xi1, argument>, %y: buffer<64x64xf32, argument>) {
  for [0, 64] (%p: index) attributes {kind = "parallel"} {
    %t = load %c[%p] : i1
    if %t {
      for [0, 8] (%i: index) {
        for [0, 64] (%j: index) {
          %0 = load %w[%j, %p] : f32
          %1 = load %x[%i, %j] : f32
          %2 = mul %0, %1 : f32
          store %2, %y[%p, %j]
          yield
        }
        yield
      }
      yield
    }
    yield
  }
  return
}
