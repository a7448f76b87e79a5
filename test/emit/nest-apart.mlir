// A nest of many operations beside a tile of sums in registers is a function of its own: its constants take none of the
// tile's registers. One of few operations stays where it is.
// RUN: mlgc emit %s -O2 --target=cpp --machine=x86-64-v4 | FileCheck %s
// CHECK: MLGC_APART void f_0_linear_gelu_nest1(int64_t b2_o, float* sums, const float* x_3, float* y_2) {
// CHECK-NEXT:   for (int64_t b1_out = 0; b1_out < 24; ++b1_out) {
// CHECK: mlgc_erf_f32(
// CHECK: MLGC_TARGET static int32_t f_0_linear_gelu_loop1_range(
// CHECK-NOT: mlgc_erf_f32(
// CHECK: f_0_linear_gelu_nest1(b2_o, sums, x_3, y_2);
// CHECK-NOT: MLGC_APART void
// CHECK: MLGC_TARGET static int32_t g_0_linear_relu(
func @f(%x: tensor<24x64xf32>, %w: tensor<256x64xf32>, %bias: tensor<256xf32>) -> tensor<24x256xf32> {
  %0 = linear %x, %w, %bias
  %1 = gelu %0
  return %1
}
func @g(%x: tensor<24x64xf32>, %w: tensor<256x64xf32>, %bias: tensor<256xf32>) -> tensor<24x256xf32> {
  %0 = linear %x, %w, %bias
  %1 = relu %0
  return %1
}
