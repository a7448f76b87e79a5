// Units for another device: memory and copies go through the functions that the unit brings. Here a device whose memory
// is the host's, marked: a pointer that the runtime does not take from it would crash.
#include <cstring>

#include "runtime/sample.h"

namespace {

constexpr std::ptrdiff_t kMark = std::ptrdiff_t{1} << 60;
char* unmark(const void* p) { return reinterpret_cast<char*>(reinterpret_cast<std::ptrdiff_t>(p) - kMark); }
void* mark(void* p) { return reinterpret_cast<void*>(reinterpret_cast<std::ptrdiff_t>(p) + kMark); }

int allocations = 0;
bool full = false;
void* seen_stream = nullptr;

const mlgc_device kDevice = {
    MLGC_CUDA,
    [](mlgc_i64 bytes, void** data, const char** error) -> mlgc_i32 {
      *error = "the device is full";
      if (full) return 2;
      ++allocations;
      *data = mark(std::aligned_alloc(64, static_cast<std::size_t>((bytes + 63) / 64 * 64)));
      return 0;
    },
    [](void* data) {
      --allocations;
      std::free(unmark(data));
    },
    [](void* to, const void* from, mlgc_i64 bytes, void* stream, const char**) -> mlgc_i32 {
      seen_stream = stream;
      std::memcpy(unmark(to), from, static_cast<std::size_t>(bytes));
      return 0;
    },
    [](void* to, const void* from, mlgc_i64 bytes, void*, const char**) -> mlgc_i32 {
      std::memcpy(to, unmark(from), static_cast<std::size_t>(bytes));
      return 0;
    },
    [](void*, const char**) -> mlgc_i32 { return 0; },
};

// @forward of the sample, as a kernel of the device: y = relu(x * w), sum is left out, calls + 1.
mlgc_i32 forward(const mlgc_call* call) {
  const auto* const x = reinterpret_cast<const float*>(unmark(call->inputs[0]));
  const auto* const w = reinterpret_cast<const float*>(unmark(call->weights[0]));
  auto* const y = reinterpret_cast<float*>(unmark(call->outputs[0]));
  std::memset(unmark(call->arena) + call->offsets[0], 0, static_cast<std::size_t>(16 * call->symbols[0]));
  for (mlgc_i64 i = 0; i < 4 * call->symbols[0]; ++i) y[i] = x[i] * w[i % 4] < 0 ? 0 : x[i] * w[i % 4];
  const auto* const calls = reinterpret_cast<const mlgc_i64*>(unmark(call->states[0]));
  *reinterpret_cast<mlgc_i64*>(unmark(call->outputs[2])) = *calls + 1;
  return call->runtime->stream == &allocations ? 0 : 1;
}

}  // namespace

TEST_CASE("a unit for a device finds everything in its memory") {
  mlgc_function function = mlgc_unit_sample()->functions[kForward];
  function.run = forward;
  mlgc_unit unit = *mlgc_unit_sample();
  unit.functions = &function;
  unit.function_count = 1;
  unit.device = &kDevice;
  {
    const Program program(&unit);
    CHECK(allocations == 1);
    mlgc_context_options options = {};
    options.stream = &allocations;
    const Context context(program, options);
    CHECK(seen_stream == &allocations);
    HostTensor<float> x = f32({2, 4}, {1, -1, 1, 1, 2, 2, 2, -2});
    mlgc_tensor on_device = x.view();
    CHECK(context.refused(MLGC_BAD_INPUT, 0, {on_device}, {lent(), lent()}) ==
          "input `x` is on the CPU, the model runs on a CUDA device");
    on_device.device = MLGC_CUDA;
    on_device.data = mark(x.data.data());
    std::vector<mlgc_tensor> outputs{lent(), lent()};
    REQUIRE(context.run(0, {on_device}, outputs) == MLGC_OK);
    CHECK(outputs[0].device == MLGC_CUDA);
    std::vector<float> y(8);
    std::memcpy(y.data(), unmark(outputs[0].data), 32);
    CHECK(y == std::vector<float>{1, 0, 3, 4, 2, 4, 6, 0});
    CHECK(context.state<mlgc_i64>(0, 1) == std::vector<mlgc_i64>{11});
    const mlgc_i64 calls = 5;
    REQUIRE(mlgc_state_write(context.get(), 0, &calls, sizeof calls) == MLGC_OK);
    CHECK(context.state<mlgc_i64>(0, 1) == std::vector<mlgc_i64>{5});
    full = true;
    HostTensor<float> larger = f32({100, 4});
    mlgc_tensor more = larger.view();
    more.device = MLGC_CUDA;
    more.data = mark(larger.data.data());
    CHECK(context.refused(MLGC_LIMIT, 0, {more}, {lent(), lent()}) ==
          "no memory for 1600 bytes for temporaries of `forward`");
    char error[256] = "";
    mlgc_context* none = nullptr;
    CHECK(mlgc_context_create(program.get(), nullptr, &none, error, sizeof error) == MLGC_LIMIT);
    CHECK(std::string(error) == "state `calls`, 8 bytes: no memory");
    full = false;
  }
  CHECK(allocations == 0);
}

TEST_CASE("states of no bytes have an address on the device, and nothing is copied") {
  static bool copied;
  copied = false;
  mlgc_device device = kDevice;
  device.copy_in = [](void*, const void*, mlgc_i64, void*, const char**) -> mlgc_i32 {
    copied = true;
    return 0;
  };
  device.copy_out = device.copy_in;
  const mlgc_i64 size = 0;
  const mlgc_data state = {"none", MLGC_F32, 1, &size, 232, 0};
  mlgc_unit unit = *mlgc_unit_sample();
  unit.function_count = unit.weight_count = 0;
  unit.states = &state;
  unit.state_count = 1;
  unit.device = &device;
  {
    const Program program(&unit);
    const Context context(program);
    CHECK(allocations == 1);
    CHECK(mlgc_state_write(context.get(), 0, nullptr, 0) == MLGC_OK);
    CHECK(mlgc_state_read(context.get(), 0, nullptr, 0) == MLGC_OK);
    CHECK(mlgc_states_reset(context.get()) == MLGC_OK);
    CHECK_FALSE(copied);
  }
  CHECK(allocations == 0);
}
