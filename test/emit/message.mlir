// Whatever stands in a message stands in a string.
// RUN: mlgc emit %s | FileCheck %s
// CHECK: return runtime->fail(runtime, "a\012b \"c\" \\", nullptr, 0);
func @f(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {
  check [N - 3] {message = "a\nb \"c\" \\"}
  for [0, N] (%i: index) {
    %0 = load %x[%i] : f32
    store %0, %y[%i]
  }
  return
}
