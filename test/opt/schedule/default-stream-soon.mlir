// What a later launch reads goes past the cache only where as much was touched since then as it holds, 32 MiB.
// RUN: mlgc opt %s --schedule | FileCheck %s
// CHECK-LABEL: func @exp_soon(
// CHECK-NOT: stream
// CHECK-LABEL: func @sqrt_late(
// CHECK: {hint = "stream"}
// CHECK-LABEL: func @sin_small(
// CHECK-NOT: stream
// CHECK-LABEL: func @tanh_large(
func @exp_soon(%x: buffer<4194304xf32, argument>, %y: buffer<4194304xf32, argument>) {
  for [0, 4194304] (%i: index) attributes {kind = "parallel"} {
    %0 = load %x[%i] : f32
    %1 = exp %0 : f32
    store %1, %y[%i]
  }
  return
}
func @sqrt_late(%x: buffer<4194304xf32, argument>, %y: buffer<4194304xf32, argument>) {
  for [0, 4194304] (%i: index) attributes {kind = "parallel"} {
    %0 = load %x[%i] : f32
    %1 = sqrt %0 : f32
    store %1, %y[%i]
  }
  return
}
func @sin_small(%x: buffer<64xf32, argument>, %y: buffer<64xf32, argument>) {
  for [0, 64] (%i: index) attributes {kind = "parallel"} {
    %0 = load %x[%i] : f32
    %1 = sin %0 : f32
    store %1, %y[%i]
  }
  return
}
func @tanh_large(%x: buffer<8388608xf32, argument>, %y: buffer<8388608xf32, argument>) {
  for [0, 8388608] (%i: index) attributes {kind = "parallel"} {
    %0 = load %x[%i] : f32
    %1 = tanh %0 : f32
    store %1, %y[%i]
  }
  return
}
func @soon(%x: buffer<4194304xf32, argument>, %u: buffer<64xf32, argument>, %v: buffer<64xf32, argument>, %y: buffer<4194304xf32, argument>) attributes {results = 2} {
  %0 = alloc : buffer<4194304xf32, arena>
  launch @exp_soon, %x, %0
  launch @sin_small, %u, %v
  launch @sqrt_late, %0, %y
  return
}
func @late(%x: buffer<4194304xf32, argument>, %u: buffer<8388608xf32, argument>, %v: buffer<8388608xf32, argument>, %y: buffer<4194304xf32, argument>) attributes {results = 2} {
  %0 = alloc : buffer<4194304xf32, arena>
  launch @sqrt_late, %x, %0
  launch @tanh_large, %u, %v
  launch @exp_soon, %0, %y
  return
}
