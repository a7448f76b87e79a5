// A unit written by hand, as the emitter writes them: it includes nothing from the system and stands alone. The module:
//
//     module @sample weights "weights.safetensors" {
//       weight @w : tensor<4xf32>
//       state @calls : tensor<i64>
//       state @total : tensor<4xf32>
//       func @forward(%x: tensor<[B]x4xf32>) -> (tensor<[B]x4xf32>, tensor<[B]xf32>) where 1 <= B <= 256
//           updates (@calls = …)                          relu(x * w), its sums by row; counts calls
//       func @pick(%table: tensor<[N]x2xf32>, %at: tensor<[M]xi64>) -> tensor<[M]x2xf32> where M mod 2 == 0
//       func @step(%x: tensor<4xf32>, %p: tensor<4xf32>) updates (@total = …, %p = …)      total += x; p += x
//       func @odd(%x: tensor<[2*K + 1]xf64>, %y: tensor<[K]xf64>, %z: tensor<[2*K + 1]x3xf64>)
//           -> tensor<[K - 2]xf64>
//     }
#include "runtime/unit.h"

namespace {

typedef mlgc_i64 i64;

// --- @forward

struct forward_args {
  const float* x;
  const float* w;
  float* t;
  float* y;
  float* sum;
};

// t = x * w, by way of scratch
mlgc_i32 forward_0(void* arg, i64 begin, i64 end, void* scratch) {
  const forward_args& a = *static_cast<const forward_args*>(arg);
  float* const row = static_cast<float*>(scratch);
  for (i64 i = begin; i < end; ++i) {
    for (i64 k = 0; k < 4; ++k) row[k] = a.x[4 * i + k] * a.w[k];
    for (i64 k = 0; k < 4; ++k) a.t[4 * i + k] = row[k];
  }
  return 0;
}

// y = relu(t), sum = its sums by row
mlgc_i32 forward_1(void* arg, i64 begin, i64 end, void*) {
  const forward_args& a = *static_cast<const forward_args*>(arg);
  for (i64 i = begin; i < end; ++i) {
    float sum = 0;
    for (i64 k = 0; k < 4; ++k) {
      const float t = a.t[4 * i + k];
      a.y[4 * i + k] = t < 0 ? 0 : t;
      sum += a.y[4 * i + k];
    }
    a.sum[i] = sum;
  }
  return 0;
}

mlgc_i32 forward(const mlgc_call* call) {
  const mlgc_runtime* const runtime = call->runtime;
  const i64 B = call->symbols[0];
  forward_args args = {static_cast<const float*>(call->inputs[0]), static_cast<const float*>(call->weights[0]),
                       reinterpret_cast<float*>(call->arena + call->offsets[0]), static_cast<float*>(call->outputs[0]),
                       static_cast<float*>(call->outputs[1])};
  if (runtime->launch) runtime->launch(runtime, 0);
  if (mlgc_i32 failed = runtime->parallel_for(runtime, B, 2, forward_0, &args)) return failed;
  if (runtime->launch) runtime->launch(runtime, 1);
  if (mlgc_i32 failed = runtime->parallel_for(runtime, B, 2, forward_1, &args)) return failed;
  *static_cast<i64*>(call->outputs[2]) = *static_cast<const i64*>(call->states[0]) + 1;
  return 0;
}

const i64 kB[] = {MLGC_SYMBOL, 0, MLGC_END};
const i64 k4B[] = {MLGC_SYMBOL, 0, MLGC_CONSTANT, 4, MLGC_MUL, MLGC_END};
const i64 k16B[] = {MLGC_SYMBOL, 0, MLGC_CONSTANT, 16, MLGC_MUL, MLGC_END};
const i64 k32B[] = {MLGC_SYMBOL, 0, MLGC_CONSTANT, 32, MLGC_MUL, MLGC_END};
const mlgc_dim kDimsB4[] = {{"B", {0, kB}}, {"4", {4, nullptr}}};
const mlgc_dim kDims4[] = {{"4", {4, nullptr}}};
const mlgc_symbol kForwardSymbols[] = {{"B", 1, 256, 0}};
const mlgc_binding kForwardBindings[] = {{0, 0, 0, 1, 0}};
const mlgc_value kForwardInputs[] = {{"x", MLGC_F32, 2, kDimsB4, 0, -1, -1, 0}};
const mlgc_value kForwardOutputs[] = {{"y", MLGC_F32, 2, kDimsB4, 0, -1, -1, 0},
                                      {"sum", MLGC_F32, 1, kDimsB4, 0, -1, -1, 0},
                                      {"@calls", MLGC_I64, 0, nullptr, 0, 0, -1, 0}};
const mlgc_buffer kForwardBuffers[] = {{"t", {0, k16B}, 0, 1}};
const mlgc_kernel kForwardKernels[] = {{"mul", {0, k32B}, {0, k4B}, -1, "", 0, 0, nullptr},
                                       {"relu_sum", {-1, nullptr}, {-1, nullptr}, -1, "", 0, 0, nullptr}};

// --- @pick

struct pick_args {
  const mlgc_runtime* runtime;
  const float* table;
  const i64* at;
  float* y;
  i64 N;
};

mlgc_i32 pick_0(void* arg, i64 begin, i64 end, void*) {
  const pick_args& a = *static_cast<const pick_args*>(arg);
  for (i64 i = begin; i < end; ++i) {
    const i64 at = a.at[i];
    if (at < 0 || at >= a.N) {
      const i64 values[] = {at, a.N - 1, i};
      return a.runtime->fail(a.runtime, "index {0} at {2} is out of 0 .. {1}", values, 3);
    }
    for (i64 k = 0; k < 2; ++k) a.y[2 * i + k] = a.table[2 * at + k];
  }
  return 0;
}

mlgc_i32 pick(const mlgc_call* call) {
  pick_args args = {call->runtime, static_cast<const float*>(call->inputs[0]), static_cast<const i64*>(call->inputs[1]),
                    static_cast<float*>(call->outputs[0]), call->symbols[0]};
  return call->runtime->parallel_for(call->runtime, call->symbols[1], 1, pick_0, &args);
}

const i64 kN[] = {MLGC_SYMBOL, 0, MLGC_END};
const i64 kM[] = {MLGC_SYMBOL, 1, MLGC_END};
const i64 kEvenM[] = {MLGC_SYMBOL, 1, MLGC_CONSTANT, 2, MLGC_MOD, MLGC_CONSTANT, 0, MLGC_EQ, MLGC_END};
const mlgc_dim kDimsN2[] = {{"N", {0, kN}}, {"2", {2, nullptr}}};
const mlgc_dim kDimsM2[] = {{"M", {0, kM}}, {"2", {2, nullptr}}};
const mlgc_symbol kPickSymbols[] = {{"N", 0, MLGC_I64_MAX, 0}, {"M", 0, MLGC_I64_MAX, 0}};
const mlgc_binding kPickBindings[] = {{0, 0, 0, 1, 0}, {1, 1, 0, 1, 0}};
const mlgc_constraint kPickConstraints[] = {{"M mod 2 == 0", kEvenM}};
const mlgc_value kPickInputs[] = {{"table", MLGC_F32, 2, kDimsN2, 0, -1, -1, 0},
                                  {"at", MLGC_I64, 1, kDimsM2, 0, -1, -1, 0}};
const mlgc_value kPickOutputs[] = {{"y", MLGC_F32, 2, kDimsM2, 0, -1, -1, 0}};

// --- @step

mlgc_i32 step(const mlgc_call* call) {
  const float* const x = static_cast<const float*>(call->inputs[0]);
  const float* const p = static_cast<const float*>(call->inputs[1]);
  float* const new_p = static_cast<float*>(call->outputs[0]);
  const float* const total = static_cast<const float*>(call->states[1]);
  float* const new_total = static_cast<float*>(call->outputs[1]);
  for (i64 k = 0; k < 4; ++k) {
    new_p[k] = p[k] + x[k];
    new_total[k] = total[k] + x[k];
  }
  return 0;
}

const mlgc_value kStepInputs[] = {{"x", MLGC_F32, 1, kDims4, 0, -1, -1, 0}, {"p", MLGC_F32, 1, kDims4, 16, -1, -1, 0}};
const mlgc_value kStepOutputs[] = {{"p", MLGC_F32, 1, kDims4, 16, -1, 1, 1},
                                   {"@total", MLGC_F32, 1, kDims4, 0, 1, -1, 1}};

// --- @odd

mlgc_i32 odd(const mlgc_call* call) {
  for (i64 k = 0; k < call->symbols[0] - 2; ++k)
    static_cast<double*>(call->outputs[0])[k] = static_cast<const double*>(call->inputs[1])[k];
  return 0;
}

const i64 kK[] = {MLGC_SYMBOL, 0, MLGC_END};
const i64 kOdd[] = {MLGC_CONSTANT, 2, MLGC_SYMBOL, 0, MLGC_MUL, MLGC_CONSTANT, 1, MLGC_ADD, MLGC_END};
const i64 kLess[] = {MLGC_SYMBOL, 0, MLGC_CONSTANT, 2, MLGC_SUB, MLGC_END};
const mlgc_dim kDimsOdd[] = {{"2*K + 1", {0, kOdd}}, {"3", {3, nullptr}}};
const mlgc_dim kDimsK[] = {{"K", {0, kK}}};
const mlgc_dim kDimsLess[] = {{"K - 2", {0, kLess}}};
const mlgc_symbol kOddSymbols[] = {{"K", 0, MLGC_I64_MAX, 0}};
const mlgc_binding kOddBindings[] = {{0, 0, 0, 2, 1}};
const mlgc_value kOddInputs[] = {{"x", MLGC_F64, 1, kDimsOdd, 0, -1, -1, 0},
                                 {"y", MLGC_F64, 1, kDimsK, 0, -1, -1, 0},
                                 {"z", MLGC_F64, 2, kDimsOdd, 0, -1, -1, 0}};
const mlgc_value kOddOutputs[] = {{"r", MLGC_F64, 1, kDimsLess, 0, -1, -1, 0}};

// --- The table

const mlgc_function kFunctions[] = {
    {"forward",
     1,
     1,
     0,
     1,
     3,
     1,
     2,
     kForwardSymbols,
     kForwardBindings,
     nullptr,
     kForwardInputs,
     kForwardOutputs,
     kForwardBuffers,
     kForwardKernels,
     {16, nullptr},
     forward,
     0,
     nullptr},
    {"pick",
     2,
     2,
     1,
     2,
     1,
     0,
     0,
     kPickSymbols,
     kPickBindings,
     kPickConstraints,
     kPickInputs,
     kPickOutputs,
     nullptr,
     nullptr,
     {0, nullptr},
     pick,
     0,
     nullptr},
    {"step",
     0,
     0,
     0,
     2,
     2,
     0,
     0,
     nullptr,
     nullptr,
     nullptr,
     kStepInputs,
     kStepOutputs,
     nullptr,
     nullptr,
     {0, nullptr},
     step,
     0,
     nullptr},
    {"odd",
     1,
     1,
     0,
     3,
     1,
     0,
     0,
     kOddSymbols,
     kOddBindings,
     nullptr,
     kOddInputs,
     kOddOutputs,
     nullptr,
     nullptr,
     {0, nullptr},
     odd,
     0,
     nullptr},
};

const i64 kSizes4[] = {4};
const mlgc_data kWeights[] = {{"w", MLGC_F32, 1, kSizes4, 216, 16}};
const mlgc_data kStates[] = {{"calls", MLGC_I64, 0, nullptr, 192, 8}, {"total", MLGC_F32, 1, kSizes4, 200, 16}};

}  // namespace

extern "C" MLGC_API const mlgc_unit* mlgc_unit_sample(void) {
  static const mlgc_unit unit = {MLGC_UNIT_ABI, "sample", "0.1.0", 4,   1,      2,
                                 kFunctions,    kWeights, kStates, 232, 192,    0x7cb7b2e4316e09feULL,
                                 nullptr,       "",       nullptr, 0,   nullptr};
  return &unit;
}
