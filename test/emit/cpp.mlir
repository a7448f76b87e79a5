// What is emitted: kernels under their text, host functions that launch them and are compiled once, the table that the runtime reads.
// RUN: mlgc emit %s --random-weights=1 | FileCheck %s
// RUN: mlgc emit %s --random-weights=1 > %t && mlgc emit %s --random-weights=2 | diff %t -
module @scale {
  weight @w : tensor<4xf32>
  state @calls : tensor<i64>
  func @forward(%x: tensor<[B]x4xf32>) -> (tensor<[B]xf32>) where 1 <= B <= 8, B mod 2 == 0 updates (@calls = %next) {
    %w = read @w : tensor<4xf32>
    %calls = read @calls : tensor<i64>
    %next = add %calls {other = 1} : tensor<i64>
    %y = mul %x, %w : tensor<[B]x4xf32>
    %sums = sum %y {dim = [1]} : tensor<[B]xf32>
    return %sums, %next
  }
}
// CHECK: #include "runtime/unit.h"
// CHECK: namespace mlgc_model_scale {
// CHECK: int32_t mlgc_prepare(int32_t bytes) {
// CHECK: mlgc_64::forward_1_mul_sum,
// CHECK: static int32_t forward(const mlgc_call* call);
// CHECK: #elif MLGC_ONLY == 32
// CHECK-NEXT: #define MLGC_FEATURES "avx2, fma, bmi, bmi2, popcnt"
// CHECK: const mlgc_symbol mlgc_symbols_{{[0-9]+}}[] = {
// CHECK-NEXT: {"B", 1, 8, 0},
// CHECK: {"B mod 2 == 0", mlgc_program_
// CHECK: const mlgc_value mlgc_values_{{[0-9]+}}[] = {
// CHECK-NEXT: {"x", MLGC_F32, 2, mlgc_dims_
// CHECK: const mlgc_value mlgc_values_{{[0-9]+}}[] = {
// CHECK-NEXT: {"sums", MLGC_F32, 1, mlgc_dims_{{[0-9]+}}, 0, -1, -1, 0},
// CHECK-NEXT: {"@calls", MLGC_I64, 0, nullptr, 0, 0, -1, 0},
// CHECK: {"forward.1.mul_sum", {0, mlgc_program_{{[0-9]+}}}, {0, mlgc_program_{{[0-9]+}}}, -1, "", 3, 1, mlgc_operands_{{[0-9]+}}},
// CHECK: extern "C" MLGC_API const mlgc_unit* mlgc_unit_scale(void) {
// CHECK-NEXT: static const mlgc_unit unit = {MLGC_UNIT_ABI, "scale", "{{[0-9.]+}}", 1, 1, 1,
// CHECK: // @forward.1.mul_sum: {{.*}} bytes read, {{.*}} written, {{.*}} FLOPs
// CHECK: #ifndef MLGC_BYTES  // once for all widths
// CHECK: // @forward
// CHECK: MLGC_TARGET static int32_t forward(const mlgc_call* call) {
// CHECK: MLGC_UNUSED const int64_t B = call->symbols[0];
// CHECK: const float* const x = static_cast<const float*>(call->inputs[0]);
// CHECK: const float* const w = static_cast<const float*>(call->weights[0]);
// CHECK: if (runtime->launch != nullptr) runtime->launch(runtime, 1);
// CHECK-NEXT: if (const int32_t failed = forward_1_mul_sum(runtime, x, w, sums, B)) return failed;
