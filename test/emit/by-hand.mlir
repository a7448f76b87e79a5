// A loop function by hand gets a host function; one that reads what it writes has results that start as nothing in particular.
// RUN: mlgc emit %samples/loop_matmul.mlir | FileCheck %s
// CHECK: {"matmul", 3, 3, 0, 2, 1, 0, 1,
// CHECK: // @matmul.kernel: {{.*}} FLOPs
// CHECK: // @matmul
// CHECK: matmul_kernel(runtime,
// RUN: %exits 3 mlgc emit %s 2>&1 | FileCheck %s --check-prefix=READS
// READS: by-hand.mlir:[[@LINE+2]]:1: error: source cannot be emitted for `@grow`, which reads what it writes and has no host function
module {
func @grow(%x: buffer<4xf32, argument>) {
  for [0, 4] (%i: index) {
    %0 = load %x[%i] : f32
    %1 = add %0, %0 : f32
    store %1, %x[%i]
  }
  return
}
}
