// A nest of many operations beside a register tile is a function of its own: its constants take none of the tile's
// registers. One of few operations stays where it is, and so does a tile whose epilogue is in its own loop.
// RUN: mlgc emit %s -O2 --target=cpp --machine=x86-64-v4 | FileCheck %s
// What a nest allocates outside of parallel loops lies in the function's memory.
// CHECK: MLGC_APART void h_kernel_nest1(const float* x, float* z, char* memory) {
// CHECK-NEXT:   for (int64_t i = 0; i < 4; ++i) {
// CHECK: reinterpret_cast<float*>(memory + 0)
// CHECK: h_kernel_nest1(x, z, memory);
// CHECK: MLGC_APART void f_0_linear_gelu_nest1(int64_t b2_o, float* sums, const float* x_3, float* y_2) {
// CHECK-NEXT:   for (int64_t b1_out = 0; b1_out < 24; ++b1_out) {
// CHECK: mlgc_erf_f32(
// CHECK: MLGC_TARGET static int32_t f_0_linear_gelu_loop1_range(
// CHECK-NOT: mlgc_erf_f32(
// CHECK: f_0_linear_gelu_nest1(b2_o, sums, x_3, y_2);
// CHECK-NOT: MLGC_APART void
// CHECK: MLGC_TARGET static int32_t g_0_linear_relu(
// CHECK-NOT: MLGC_APART void
// CHECK: MLGC_TARGET static int32_t t_0_matmul_tanh(
// CHECK: mlgc_tanh_f32(
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
func @t(%x: tensor<8x3xf32>, %w: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %0 = matmul %x, %w
  %1 = tanh %0
  return %1
}
func @h(%x: buffer<4x16xf32, argument>, %w: buffer<8x16xf32, argument>, %y: buffer<4x16xf32, argument>, %z: buffer<4x16xf32, argument>) {
  for [0, 16] (%j: index) attributes {kind = "vector", lanes = 16} {
    %0 = literal {dtype = f32, value = 0.0} : f32
    %1, %2, %3, %4 = for [0, 8] (%k: index, %5 = %0, %6 = %0, %7 = %0, %8 = %0) {
      %9 = load %w[%k, %j] : f32
      %10 = load %x[0, %k] : f32
      %11 = fma %10, %9, %5 : f32
      %12 = load %x[1, %k] : f32
      %13 = fma %12, %9, %6 : f32
      %14 = load %x[2, %k] : f32
      %15 = fma %14, %9, %7 : f32
      %16 = load %x[3, %k] : f32
      %17 = fma %16, %9, %8 : f32
      yield %11, %13, %15, %17
    } : f32, f32, f32, f32
    store %1, %y[0, %j]
    store %2, %y[1, %j]
    store %3, %y[2, %j]
    store %4, %y[3, %j]
    yield
  }
  for [0, 4] (%i: index) {
    %kept = alloc : buffer<16xf32, thread>
    for [0, 16] (%n: index) attributes {kind = "vector", lanes = 16} {
      %0 = load %x[%i, %n] : f32
      %1 = erf %0 : f32
      store %1, %kept[%n]
      yield
    }
    for [0, 16] (%m: index) attributes {kind = "vector", lanes = 16} {
      %0 = load %kept[%m] : f32
      %1 = load %x[%i, %m] : f32
      %2 = mul %0, %1 : f32
      store %2, %z[%i, %m]
      yield
    }
    yield
  }
  return
}
