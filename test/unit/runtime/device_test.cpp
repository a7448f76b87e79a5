// Units for another device: memory and copies go through the functions that the unit brings. Here a device whose memory
// is the host's, marked: a pointer that the runtime does not take from it would crash.
#include <cstring>

#include "runtime/sample.h"

namespace {

constexpr std::ptrdiff_t kMark = std::ptrdiff_t{1} << 60;
char* unmark(const void* p) { return reinterpret_cast<char*>(reinterpret_cast<std::ptrdiff_t>(p) - kMark); }
void* mark(void* p) { return reinterpret_cast<void*>(reinterpret_cast<std::ptrdiff_t>(p) + kMark); }

int allocations = 0;
mlgc_i32 refusal = MLGC_OK;  // of memory
void* seen_stream = nullptr;
mlgc_i32 current = 0, located = 0;  // the device of the thread; that of all memory

const mlgc_device kDevice = {
    MLGC_CUDA,
    [](mlgc_i64 bytes, void** data, const char** error) -> mlgc_i32 {
      *error = refusal == MLGC_LIMIT ? "the device is full" : "there is no device";
      if (refusal != MLGC_OK) return refusal;
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
    [](mlgc_i64 bytes, void** data, const char**) -> mlgc_i32 {
      *data = std::malloc(static_cast<std::size_t>(bytes));
      return 0;
    },
    [](void* data) { std::free(data); },
    [](void*, mlgc_i32* capturing, const char**) -> mlgc_i32 {
      *capturing = 0;
      return 0;
    },
    nullptr,  // its functions are not captured
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    [](mlgc_i32 number, const char** error) -> mlgc_i32 {
      *error = "this machine has CUDA devices 0 to 1";
      return number < 2 ? MLGC_OK : MLGC_UNSUPPORTED;
    },
    [](mlgc_i32 number, mlgc_i32* previous, const char**) -> mlgc_i32 {
      *previous = current;
      current = number;
      return 0;
    },
    [](const void* data, mlgc_i32* number, const char**) -> mlgc_i32 {
      *number = reinterpret_cast<std::ptrdiff_t>(data) >= kMark ? located : -1;
      return 0;
    },
    nullptr,
    nullptr,  // no kernel fails
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
    refusal = MLGC_LIMIT;
    HostTensor<float> larger = f32({100, 4});
    mlgc_tensor more = larger.view();
    more.device = MLGC_CUDA;
    more.data = mark(larger.data.data());
    CHECK(context.refused(MLGC_LIMIT, 0, {more}, {lent(), lent()}) ==
          "1600 bytes for temporaries of `forward`: the device is full");
    char error[256] = "";
    mlgc_context* none = nullptr;
    CHECK(mlgc_context_create(program.get(), nullptr, &none, error, sizeof error) == MLGC_LIMIT);
    CHECK(std::string(error) == "state `calls`, 8 bytes: the device is full");
    refusal = MLGC_UNSUPPORTED;
    CHECK(context.refused(MLGC_UNSUPPORTED, 0, {more}, {lent(), lent()}) ==
          "1600 bytes for temporaries of `forward`: there is no device");
    const TemporaryFolder folder;
    REQUIRE(mlgc::write_safetensors(folder.file("w.safetensors"), sample_weights()).ok());
    const std::string path = folder.file("w.safetensors");
    mlgc_program_options from = {};
    from.struct_size = sizeof from;
    from.weights_path = path.c_str();
    mlgc_program* no_program = nullptr;
    CHECK(mlgc_program_create(&unit, &from, &no_program, error, sizeof error) == MLGC_UNSUPPORTED);
    CHECK(std::string(error) == "weight `w`, 16 bytes, cannot be put on the device: there is no device");
    refusal = MLGC_OK;
  }
  CHECK(allocations == 0);
}

TEST_CASE("a call that the device ends says so with a status of its own") {
  static mlgc_i32 wanted;
  static bool goes_on;
  mlgc_function function = mlgc_unit_sample()->functions[kForward];
  function.run = [](const mlgc_call* call) -> mlgc_i32 {
    const mlgc_i32 status = call->runtime->fail_device(call->runtime, wanted, "it ends");
    if (!goes_on) return status;
    // What follows from a value that could not be read is no news, and no success.
    const mlgc_i64 value = 7;
    return wanted == MLGC_LIMIT ? 0 : call->runtime->fail(call->runtime, "it is {0}", &value, 1);
  };
  mlgc_unit unit = *mlgc_unit_sample();
  unit.functions = &function;
  unit.function_count = 1;
  const Program program(&unit);
  const Context context(program);
  HostTensor<float> x = f32({2, 4}, {1, -1, 1, 1, 2, 2, 2, -2});
  const auto calls = context.state<mlgc_i64>(0, 1);
  for (const bool on : {false, true})
    for (const mlgc_i32 status : {MLGC_LIMIT, MLGC_UNSUPPORTED, MLGC_DEVICE_FAILED}) {
      wanted = status;
      goes_on = on;
      CHECK(context.refused(status, 0, {x.view()}, {lent(), lent()}) == "`forward`: it ends");
      CHECK(context.state<mlgc_i64>(0, 1) == calls);
    }
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

TEST_CASE("a program lives on the device that it was made on") {
  mlgc_function function = mlgc_unit_sample()->functions[kForward];
  function.run = [](const mlgc_call* call) -> mlgc_i32 {
    CHECK(current == 1);
    return forward(call);
  };
  mlgc_unit unit = *mlgc_unit_sample();
  unit.functions = &function;
  unit.function_count = 1;
  unit.device = &kDevice;
  mlgc_program_options options = {};
  options.device_id = 1;
  {
    const Program program(&unit, options);
    mlgc_context_options with = {};
    with.stream = &allocations;
    const Context context(program, with);
    CHECK(current == 0);
    HostTensor<float> x = f32({1, 4}, {1, 1, 1, 1});
    mlgc_tensor tensor = x.view();
    tensor.device = MLGC_CUDA;
    CHECK(context.refused(MLGC_BAD_INPUT, 0, {tensor}, {lent(), lent()}) ==
          "input `x` is on device 0, the program was made on device 1");
    tensor.device_id = 1;
    CHECK(context.refused(MLGC_BAD_INPUT, 0, {tensor}, {lent(), lent()}) ==
          "input `x` is said to be on device 1, and its data are memory of the CPU: copy them there");
    tensor.data = mark(x.data.data());
    located = 0;
    CHECK(context.refused(MLGC_BAD_INPUT, 0, {tensor}, {lent(), lent()}) ==
          "input `x` is said to be on device 1, and its data are memory of device 0");
    located = 1;
    std::vector<mlgc_tensor> outputs{lent(), lent()};
    REQUIRE(context.run(0, {tensor}, outputs) == MLGC_OK);
    CHECK(outputs[0].device_id == 1);
    CHECK(current == 0);
  }
  located = 0;
  CHECK(allocations == 0);
  char error[256] = "";
  mlgc_program* none = nullptr;
  options.struct_size = sizeof options;
  options.device_id = 2;
  CHECK(mlgc_program_create(&unit, &options, &none, error, sizeof error) == MLGC_UNSUPPORTED);
  CHECK(std::string(error) == "`sample` cannot run on device 2: this machine has CUDA devices 0 to 1");
  options.device_id = 1;
  CHECK(mlgc_program_create(mlgc_unit_sample(), &options, &none, error, sizeof error) == MLGC_BAD_USAGE);
  CHECK(std::string(error) == "`sample` runs on the CPU, device 1 is asked for");
}

namespace {

int waits = 0;

// What a kernel of function `number` does that refuses `index`.
void note_failure(const mlgc_call* call, mlgc_i32 number, mlgc_i64 index) {
  auto* const failures = static_cast<const mlgc_device_runtime*>(call->runtime)->failures;
  auto& own = *reinterpret_cast<mlgc_failure*>(unmark(failures + number));
  auto& first = *reinterpret_cast<unsigned int*>(unmark(own.first));
  if (own.message != 0) return;
  own.message = 1;
  if (first != 0) return;
  first = 1;
  own.noted->function = own.function;
  own.noted->values[0] = index;
  own.noted->message = 1;
}

// @pick and @forward, whose kernels refuse places from 10 on, and what they look at.
mlgc_i64 place = 0;
mlgc_i32 failing_pick(const mlgc_call* call) {
  if (place >= 10) note_failure(call, 0, place);
  return 0;
}
mlgc_i32 failing_forward(const mlgc_call* call) {
  if (place >= 10) note_failure(call, 1, place);
  return forward(call);
}

}  // namespace

TEST_CASE("a failure that kernels note is reported once, and replaces no state") {
  static const char* const messages[] = {"place {0} is outside"};
  static const mlgc_queue queues[] = {{1, 0}, {1, 0}};
  mlgc_device device = kDevice;
  device.queues = queues;
  device.messages = messages;
  device.synchronize = [](void*, const char**) -> mlgc_i32 { return ++waits, 0; };
  mlgc_function functions[] = {mlgc_unit_sample()->functions[kPick], mlgc_unit_sample()->functions[kForward]};
  functions[0].run = failing_pick;
  functions[1].run = failing_forward;
  mlgc_unit unit = *mlgc_unit_sample();
  unit.functions = functions;
  unit.function_count = 2;
  unit.device = &device;
  {
    const Program program(&unit);
    mlgc_context_options options = {};
    options.stream = &allocations;
    const Context context(program, options), other(program, options);
    HostTensor<float> x = f32({2, 4}), table = f32({3, 2});
    HostTensor<mlgc_i64> at = i64({0, 1});
    const auto on_device = [](mlgc_tensor tensor, void* data) {
      tensor.device = MLGC_CUDA;
      tensor.data = mark(data);
      return tensor;
    };
    const std::vector<mlgc_tensor> picked{on_device(table.view(), table.data.data()),
                                          on_device(at.view(), at.data.data())};
    const std::vector<mlgc_tensor> forwarded{on_device(x.view(), x.data.data())};
    const auto pick = [&](const Context& with, mlgc_i64 index) {
      place = index;
      std::vector<mlgc_tensor> outputs{lent()};
      const mlgc_i32 status = with.run(0, picked, outputs);
      if (status == MLGC_OK) (void)mlgc_release(with.get(), outputs[0].data);
      return status;
    };
    const std::string said = "`pick`: place 12 is outside";
    waits = 0;
    CHECK(pick(context, 1) == MLGC_OK);
    CHECK(pick(context, 12) == MLGC_OK);
    CHECK(waits == 0);
    CHECK(pick(other, 1) == MLGC_OK);
    CHECK(pick(context, 1) == MLGC_BAD_INPUT);
    CHECK(context.error() == said);
    CHECK(pick(context, 1) == MLGC_OK);
    // Of several, the first.
    CHECK(pick(context, 12) == MLGC_OK);
    CHECK(mlgc_context_synchronize(other.get()) == MLGC_OK);
    CHECK(mlgc_context_synchronize(context.get()) == MLGC_BAD_INPUT);
    CHECK(context.error() == said);
    CHECK(mlgc_context_synchronize(context.get()) == MLGC_OK);
    CHECK(context.error().empty());
    // States: a call waits for what may fail before it, and for itself.
    const auto calls = other.state<mlgc_i64>(0, 1);
    CHECK(pick(context, 12) == MLGC_OK);
    place = 1;
    CHECK(context.refused(MLGC_BAD_INPUT, 1, forwarded, {lent(), lent()}) == said);
    place = 11;
    CHECK(context.refused(MLGC_BAD_INPUT, 1, forwarded, {lent(), lent()}) == "`forward`: place 11 is outside");
    CHECK(context.state<mlgc_i64>(0, 1) == calls);
    CHECK(pick(context, 12) == MLGC_OK);
    mlgc_i64 read = 0;
    CHECK(mlgc_state_read(context.get(), 0, &read, sizeof read) == MLGC_BAD_INPUT);
    CHECK(context.state<mlgc_i64>(0, 1) == calls);
    mlgc_context* last = nullptr;
    options.struct_size = sizeof options;
    REQUIRE(mlgc_context_create(program.get(), &options, &last, nullptr, 0) == MLGC_OK);
    place = 12;
    std::vector<mlgc_tensor> outputs{lent()};
    CHECK(mlgc_run(last, 0, picked.data(), 2, outputs.data(), 1) == MLGC_OK);
    CHECK(mlgc_context_destroy(last) == MLGC_BAD_INPUT);
    place = 0;
  }
  CHECK(allocations == 0);
}
