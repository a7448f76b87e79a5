// Scratch that may not fit on the chip has a place in the arena, and then fewer blocks run; scratch of one row is not written for the
// next one before all threads have read it.
// RUN: mlgc emit %s --target=cuda | FileCheck %s
module @long {
  func @forward(%x: tensor<[B]x[N]xf32>) -> tensor<[B]x[N]xf32> where 1 <= N <= 100000 {
    %s = softmax %x {dim = 1} : tensor<[B]x[N]xf32>
    return %s
  }
  func @elements(%x: tensor<[B]xf32>) -> tensor<[B]xf32> {
    %y = exp %x : tensor<[B]xf32>
    return %y
  }
}
// CHECK: _kernel1(
// CHECK-SAME: char* memory_of_blocks, int64_t scratch_bytes) {
// CHECK-NEXT: extern __shared__ __align__(16) char mlgc_shared[];
// CHECK-NEXT: char* const scratch = memory_of_blocks == nullptr ? mlgc_shared : memory_of_blocks + blockIdx.x * scratch_bytes;
// CHECK: y[{{.*}}] = {{.*}};
// CHECK: __syncthreads();
// CHECK: const bool fits = [[BYTES:scratch_bytes_[0-9]*]] <= mlgc_chip_bytes([[KERNEL:.*]]);
// CHECK-NEXT: mlgc_launch(runtime, [[KERNEL]], fits ? [[COUNT:.*_count]] : mlgc_min(int64_t{256}, int64_t{[[COUNT]]}), 256, fits ? [[BYTES]] : 0, {{.*}}fits ? nullptr : memory + 0, [[BYTES]])) return failed;
// CHECK: mlgc_failure* const failure = nullptr;  // no kernel can fail
