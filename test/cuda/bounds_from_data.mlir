// How often a nest runs is read from memory of the device: one block runs it, since the host does not know. What a host function
// decides by it fetches when the device is done.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @bounds {
  func @some(%n: buffer<i64, argument>, %x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {
    %0 = load %n[] : i64
    check [%0] {message = "negative"}
    check [N - %0] {message = "too many"}
    for [0, %0] (%i: index) attributes {kind = "parallel"} {
      %1 = load %x[%i] : f32
      store %1, %y[%i]
    }
    return
  }
  func @copy(%x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>) {
    for [0, N] (%i: index) attributes {kind = "parallel"} {
      %0 = load %x[%i] : f32
      store %0, %y[%i]
    }
    return
  }
  func @chosen(%b: buffer<i1, argument>, %x: buffer<[N]xf32, argument>, %y: buffer<[N]xf32, argument>, %z: buffer<[N]xf32, argument>) attributes {results = 1} {
    %0 = load %b[] : i1
    if %0 {
      launch @copy, %x, %z
      yield
    } else {
      launch @copy, %y, %z
      yield
    }
    return
  }
}
// CHECK: __global__ static void __launch_bounds__(256) some_kernel_kernel1(mlgc_failure* failure, const int64_t* __restrict__ n,
// CHECK-NEXT: mlgc_begin_kernel();
// CHECK-NEXT: const int64_t [[COUNT:.*]] = n[0];
// CHECK: const int64_t [[TILES:.*]] = -((-[[COUNT]]) >> 10);
// CHECK-NEXT: for (int64_t [[T:.*]] = 0; [[T]] < [[TILES]]; ++[[T]]) {
// CHECK: mlgc_launch(runtime, {{.*}}some_kernel_kernel1{{.*}}, 1, 256, 0,
// CHECK: __global__ static void __launch_bounds__(256) copy_kernel1(
// CHECK: static int32_t chosen(const mlgc_call* call) {
// CHECK: if (const int32_t failed = mlgc_wait(runtime)) return failed;
// CHECK-NEXT: const bool [[B:.*]] = mlgc_fetch(runtime, &b[0]);
// CHECK-NEXT: if ([[B]]) {
