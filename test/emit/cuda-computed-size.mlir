// A size that is computed on the device: the host reads it, and memory for what it decides is there from then on.
// RUN: mlgc emit %s -O0 --target=cuda | FileCheck %s
// CHECK: int32_t f(const mlgc_call* call)
// CHECK-NOT: call->outputs
// CHECK: mlgc_settle(runtime)
// CHECK-NEXT: if (const int32_t failed = runtime->bind_size(runtime, 1, mlgc_fetch(runtime, &count[0]))) return failed;
// CHECK-NEXT: const int64_t hits = call->symbols[1];
// CHECK-NEXT: int64_t* const p = static_cast<int64_t*>(call->outputs[0]);
// CHECK: {"hits", 0, MLGC_I64_MAX, 1}
func @f(%x: tensor<[B]xf32>) -> tensor<[hits]x1xi64> {
  %p = nonzero %x : tensor<[hits]x1xi64>
  return %p
}
