// What a load under a guard gives, in strided steps, is packed in the order of the loops that need it; a tile has a
// scratch of its size, and where all tiles share it each is an axis. What is written in the loop, or carried by one, stays; so does what threads or lanes would share.
// RUN: mlgc opt %s --pass-pipeline='tile{function=windows loop=j size=8},interchange{function=windows loop=c},pack{function=windows loop=c buffer=x}' | FileCheck %s
// RUN: %exits 1 mlgc opt %s --pass-pipeline='pack{function=shift loop=i buffer=y}' 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: %exits 1 mlgc opt %s --pass-pipeline='pack{function=shift loop=i buffer=n}' 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: mlgc opt %s --pass-pipeline='tile{function=windows loop=j size=8},pack{function=windows loop=c buffer=x}' | FileCheck %s --check-prefix=STRIPS
// RUN: %exits 1 mlgc opt %s --pass-pipeline='tile{function=windows loop=j size=8},pack{function=windows loop=j_o buffer=x}' 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: %exits 1 mlgc opt %s --pass-pipeline='parallelize{function=windows loop=j},pack{function=windows loop=j buffer=x}' 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: %exits 1 mlgc opt %s --pass-pipeline='vectorize{function=windows loop=j lanes=8},pack{function=windows loop=q buffer=x}' 2>&1 | FileCheck %s --check-prefix=LANES
// CHECK: %packed = alloc : buffer<8x3xf32, thread>
// CHECK-NEXT: for [8*%j_o, min(8*%j_o + 8, N)] (%[[J:.*]]: index) {
// CHECK-NEXT: for [0, 3] (%[[Q:.*]]: index) {
// CHECK-NEXT: guard [%[[Q]] + 2*%[[J]] - 1, 2*N - %[[Q]] - 2*%[[J]]]
// CHECK: load %x[%[[Q]] + 2*%[[J]] - 1]
// CHECK: store %{{.*}}, %packed[%[[J]] - 8*%j_o, %[[Q]]]
// CHECK: for [0, 4] (%c: index) {
// CHECK: load %packed[%j - 8*%j_o, %q]
// CHECK-NOT: guard
// WRITTEN: error: `y` is written in the loop over `%i`, so reading it earlier would give old values
// WRITTEN: note: `pack` of the loop over `%i` in `@shift` is refused
// SAME: error: there is nothing to copy: the value is the same in all iterations
// SAME: note: `pack` of the loop over `%i` in `@shift` is refused
// STRIPS: %packed = alloc : buffer<[N ceildiv 8]x8x3xf32, arena>
// STRIPS: store %{{.*}}, %packed[%[[O:.*]], %{{.*}} - 8*%[[O]], %{{.*}}]
// STRIPS: load %packed[%j_o, %j - 8*%j_o, %q]
// BOUNDS: error: the bounds of the loop over `%j` depend on the iteration of a loop around it
// BOUNDS: note: `pack` of the loop over `%j_o` in `@windows` is refused
// THREADS: error: parallel iterations of the loop over `%j` would share the scratch
// THREADS: note: `pack` of the loop over `%j` in `@windows` is refused
// LANES: error: each lane of the loop over `%j` would need memory of its own
// LANES: note: `pack` of the loop over `%q` in `@windows` is refused
func @windows(%x: buffer<[2*N]xf32, argument>, %w: buffer<4x3xf32, argument>, %y: buffer<4x[N]xf32, argument>) {
  %zero = literal {dtype = f32, value = 0.0}
  for [0, 4] (%c: index) {
    for [0, N] (%j: index) {
      %sum = for [0, 3] (%q: index, %s = %zero) {
        %g = guard [2*%j + %q - 1, 2*N - 2*%j - %q]
        %v = if %g {
          %0 = load %x[2*%j + %q - 1]
          yield %0
        } else {
          yield %zero
        }
        %1 = load %w[%c, %q]
        %2 = mul %v, %1
        %3 = add %s, %2
        yield %3
      }
      store %sum, %y[%c, %j]
    }
  }
  return
}
func @shift(%n: buffer<1xf32, argument>, %y: buffer<5xf32, argument>) {
  for [0, 4] (%i: index) {
    %0 = load %y[%i]
    %1 = load %n[0]
    %2 = add %0, %1
    store %2, %y[%i + 1]
  }
  return
}
