// A row is a warp: lanes are its threads, each of which reads four neighbours at once and keeps them, and a barrier of the warp
// stands where they read what others wrote. Tests note failures, which the driver reports.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
// RUN: mlgc emit %s --target=cuda > %t && mlgc emit %s --target=cuda | diff %t -
module @rows {
  func @forward(%x: tensor<[B]x1000xf32>, %i: tensor<[B]x1000xi64>) -> tensor<[B]x1000xf32> {
    %s = softmax %x {dim = 1} : tensor<[B]x1000xf32>
    %g = gather %s, %i {dim = 1} : tensor<[B]x1000xf32>
    return %g
  }
}
// CHECK: #include "runtime/unit.h"
// CHECK: #include <cuda_runtime.h>
// CHECK: namespace mlgc_model_rows {
// CHECK: // @forward.0.softmax_gather: {{.*}} FLOPs
// CHECK: template <bool kAligned>
// CHECK-NEXT: __global__ static void __launch_bounds__(128) forward_0_softmax_gather_kernel1(mlgc_failure* failure, const float* __restrict__ x, const int64_t* __restrict__ x_2, float* __restrict__ y,
// CHECK-SAME: int64_t scratch_bytes) {
// CHECK: extern __shared__ __align__(16) char mlgc_shared[];
// CHECK-NEXT: char* const scratch = mlgc_shared + threadIdx.x / 32 * scratch_bytes;
// CHECK-NEXT: mlgc_begin_kernel();
// CHECK-NEXT: for (int64_t at = int64_t{blockIdx.x} * 4 + threadIdx.x / 32; at < [[COUNT:.*_count]]; at += int64_t{gridDim.x} * 4) {
// CHECK: mlgc_piece<float, 4> x_kept[8];
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int round = 0; round < 8; ++round) {
// CHECK-NEXT: const int64_t [[J:.*]] = threadIdx.x % 32 * 4 + round * 128;
// CHECK-NEXT: if (round < 7 || [[J]] < 1000) {
// CHECK-NEXT: x_kept[round] = mlgc_read_piece<4, kAligned>(x + {{.*}} * 1000 + [[J]]);
// CHECK: mlgc_combine_in_warp<32>([[ACC:.*]], [=](float [[L:.*]], float [[R:.*]]) -> float { return mlgc_max_f([[L]], [[R]]); });
// CHECK: mlgc_write_piece(e, {{.*}}, e_piece);
// CHECK: mlgc_combine_in_warp<32>({{.*}} + {{.*}}
// CHECK: __syncwarp();
// CHECK: mlgc_fail(failure, 1, {{.*}}, 1000); return; }
// CHECK: __syncwarp();
// CHECK: static int32_t forward_0_softmax_gather(const mlgc_runtime* runtime, mlgc_failure* failure, const float* x, const int64_t* x_2, float* y, int64_t B) {
// CHECK: if (const int32_t failed = mlgc_launch(runtime, mlgc_are_aligned(x, x_2, y) ? forward_0_softmax_gather_kernel1<true> : forward_0_softmax_gather_kernel1<false>, ({{.*}} + 3) / 4, 128, {{[0-9]+}} * 4, failure, x, x_2, y, {{.*}}, {{[0-9]+}})) return failed;
// CHECK: static const char* const mlgc_messages[] = {
// CHECK-NEXT: "reading `{{.*}}` at index {0} of axis {{[0-9]}}, which has size {1}",
// CHECK: static int32_t forward(const mlgc_call* call) {
// CHECK: mlgc_failure* const failure = mlgc_queueing(runtime)->failures + 0;
// CHECK-NOT: mlgc_settle(
// CHECK: return 0;
// CHECK: static const mlgc_queue mlgc_queues[] = {
// CHECK-NEXT: {1, 1},
// CHECK-NEXT: };
// CHECK-NEXT: static const mlgc_device mlgc_cuda_device = MLGC_CUDA_DEVICE(mlgc_queues, mlgc_messages);
// CHECK: nullptr, "", &mlgc_cuda_device, 0, nullptr};
