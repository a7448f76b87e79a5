// What a thread reads and writes as a piece of 16 bytes: neighbours at one place that nothing else in the loop touches. A
// branch that writes the same buffer keeps it in memory; places in reverse are not a piece.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
func @branch(%x: buffer<4096xf32, argument>, %y: buffer<4096xf32, argument>, %z: buffer<4096xf32, argument>) {
  for [0, 4] (%t: index) attributes {kind = "parallel"} {
    for [1024*%t, 1024*%t + 1024] (%i: index) attributes {kind = "vector", lanes = 256, per_lane = 4} {
      %0 = load %x[%i] : f32
      store %0, %y[%i]
      %1 = literal {dtype = f32, value = 0.0} : f32
      %2 = lt %0, %1 : i1
      if %2 {
        store %1, %y[%i]
      }
      store %0, %z[4095 - %i]
    }
  }
  return
}
// CHECK: branch_kernel_kernel1(
// CHECK: const mlgc_piece<float, 4> x_piece = mlgc_read_piece<4, kAligned>(x + i_first);
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int neighbour = 0; neighbour < 4; ++neighbour) {
// CHECK: y[i] = v1;
// CHECK: y[i] = v0;
// CHECK: z[-i + 4095] = v1;
