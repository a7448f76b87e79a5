// A row that a block of 1024 threads has no registers for is kept by 512, each of which has twice as many; a row that fits is kept by 1024;
// a longer one is not kept.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
// CHECK: __global__ static void __launch_bounds__(1024, 1) fits_0_softmax__kernel1(const float* __restrict__ x, float* __restrict__ y) {
// CHECK: float e[48][1];
// CHECK: __global__ static void __launch_bounds__(512) long_0_softmax_kernel1(const float* __restrict__ x, float* __restrict__ y) {
// CHECK: float e[99][1];
// CHECK: __global__ static void __launch_bounds__(1024, 1) longer_0_softmax_kernel1(const float* __restrict__ x, float* __restrict__ y, char* memory_of_blocks, int64_t scratch_bytes) {
// CHECK-NOT: float e[
func @fits(%x: tensor<4096x49151xf32>) -> tensor<4096x49151xf32> {
  %y = softmax %x {dim = 1}
  return %y
}
func @long(%x: tensor<4096x50257xf32>) -> tensor<4096x50257xf32> {
  %y = softmax %x {dim = 1}
  return %y
}
func @longer(%x: tensor<4096x53249xf32>) -> tensor<4096x53249xf32> {
  %y = softmax %x {dim = 1}
  return %y
}
