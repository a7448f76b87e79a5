// What no parallel nest does one block runs between them, and numbers that later nests want go through memory. Loops of a
// host function over elements are kernels too.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @steps {
  func @forward(%x: tensor<[N]xf32>, %xs: tensor<[T]x4xf32>, %h: tensor<4xf32>) -> (tensor<[N]xf32>, tensor<4xf32>) {
    %m = mean %x : tensor<f32>
    %c = sub %x, %m : tensor<[N]xf32>
    %y = scan %h, %xs (%s: tensor<4xf32>, %v: tensor<4xf32>) attributes {carried = 1} {
      %t = add %s, %v : tensor<4xf32>
      yield %t
    }
    return %c, %y
  }
}
// CHECK: _kernel1(const float* __restrict__ x, int64_t N, {{.*}}* __restrict__ [[PARTIAL:[a-z_0-9]+]], const int64_t {{.*}}_count) {
// CHECK: if (threadIdx.x == 0) [[PARTIAL]][
// CHECK: _kernel2({{.*}}float* __restrict__ [[SLOT:slot[_0-9]*]]) {
// CHECK: if (threadIdx.x == 0) [[SLOT]][0] = [[MEAN:.*]];
// CHECK: _kernel3({{.*}}float* __restrict__ [[SLOT]]{{.*}}) {
// CHECK-NEXT: mlgc_begin_kernel();
// CHECK-NEXT: const float [[BROUGHT:.*]] = [[SLOT]][0];
// CHECK: {{.*}} - [[BROUGHT]];
// CHECK: char* memory) {
// CHECK: float* const [[SLOT]] = reinterpret_cast<float*>(memory + {{.*}});
// CHECK: __global__ static void __launch_bounds__(32) forward_kernel1(const float* __restrict__ xs, int64_t step, float* __restrict__ [[ROW:.*]]) {
// CHECK: [[ROW]][{{.*}}] = {{.*}};
// CHECK: static int32_t forward(const mlgc_call* call) {
// CHECK: for (int64_t step = 0; step < T; ++step) {
// CHECK: if (const int32_t failed = mlgc_launch(runtime, forward_kernel1, 1, 32, 0, xs, step, {{.*}})) return failed;
