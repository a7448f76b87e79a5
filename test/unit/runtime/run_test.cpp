// Running functions of a unit: results, outputs that are lent, states, memory, logs.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "runtime/sample.h"

using namespace std::string_literals;

TEST_CASE("a host sees the signatures of a program") {
  const Program program;
  CHECK(mlgc_program_name(program.get()) == "sample"s);
  REQUIRE(mlgc_function_count(program.get()) == 4);
  CHECK(mlgc_find_function(program.get(), "step") == kStep);
  CHECK(mlgc_find_function(program.get(), "steps") == -1);
  CHECK(mlgc_function_signature(program.get(), 4) == nullptr);
  CHECK(mlgc_function_signature(program.get(), -1) == nullptr);
  const mlgc_signature* const forward = mlgc_function_signature(program.get(), kForward);
  CHECK(forward->name == "forward"s);
  REQUIRE(forward->input_count == 1);
  REQUIRE(forward->output_count == 2);
  CHECK(forward->inputs[0].name == "x"s);
  CHECK(forward->inputs[0].dtype == MLGC_F32);
  REQUIRE(forward->inputs[0].rank == 2);
  CHECK(forward->inputs[0].dims[0].text == "B"s);
  CHECK(forward->inputs[0].dims[0].constant == -1);
  CHECK(forward->inputs[0].dims[1].constant == 4);
  CHECK(forward->outputs[1].name == "sum"s);
  REQUIRE(forward->symbol_count == 1);
  CHECK(forward->symbols[0].high == 256);
  const mlgc_signature* const pick = mlgc_function_signature(program.get(), kPick);
  REQUIRE(pick->constraint_count == 1);
  CHECK(pick->constraints[0] == "M mod 2 == 0"s);
  const mlgc_signature* const step = mlgc_function_signature(program.get(), kStep);
  REQUIRE(step->output_count == 1);
  CHECK(step->outputs[0].input == 1);
  CHECK(step->outputs[0].in_place == 1);
}

TEST_CASE("copied weights are those of the moment") {
  const TemporaryFolder folder;
  const std::string path = folder.file("w");
  REQUIRE(mlgc::write_safetensors(path, sample_weights()).ok());
  const std::string content = *mlgc::read_file(path);
  for (const mlgc_i32 copy : {0, 1}) {
    alignas(64) char bytes[256] = {};
    std::copy(content.begin(), content.end(), bytes);
    mlgc_program_options options = {};
    options.struct_size = sizeof options;
    options.weights = bytes;
    options.weights_bytes = content.size();
    options.copy_weights = copy;
    const Program program(mlgc_unit_sample(), options);
    const Context context(program);
    std::fill(std::begin(bytes), std::end(bytes), 0);
    HostTensor<float> x = f32({1, 4}, {1, 1, 1, 1}), y = f32({1, 4}), sum = f32({1});
    std::vector<mlgc_tensor> outputs{y.view(), sum.view()};
    REQUIRE(context.run(kForward, {x.view()}, outputs) == MLGC_OK);
    CHECK(y.data == (copy != 0 ? std::vector<float>{1, 2, 3, 4} : std::vector<float>(4, 0)));
  }
}

TEST_CASE("outputs of the host are written, and no byte behind them") {
  const Program program;
  const Context context(program);
  HostTensor<float> x = f32({2, 4}, {1, -1, 1, 1, 2, 2, 2, -2});
  HostTensor<float> y = f32({3, 4}, std::vector<float>(12, 7));
  HostTensor<float> sum = f32({2});
  y.sizes[0] = 2;
  std::vector<mlgc_tensor> outputs{y.view(), sum.view()};
  REQUIRE(context.run(kForward, {x.view()}, outputs) == MLGC_OK);
  CHECK(y.data == std::vector<float>{1, 0, 3, 4, 2, 4, 6, 0, 7, 7, 7, 7});
  CHECK(sum.data == std::vector<float>{8, 12});
  CHECK(context.error().empty());
}

TEST_CASE("outputs are lent, and used again once they are given back") {
  const Program program;
  const Context context(program);
  HostTensor<float> x = f32({2, 4}, {1, -1, 1, 1, 2, 2, 2, -2});
  std::vector<mlgc_tensor> first{lent(), lent()};
  REQUIRE(context.run(kForward, {x.view()}, first) == MLGC_OK);
  CHECK(first[0].rank == 2);
  CHECK(first[0].sizes[0] == 2);
  CHECK(first[0].sizes[1] == 4);
  CHECK(first[0].dtype == MLGC_F32);
  CHECK(first[0].bytes == 32);
  CHECK(first[0].strides == nullptr);
  CHECK(static_cast<const float*>(first[1].data)[1] == 12);
  std::vector<mlgc_tensor> second{lent(), lent()};
  REQUIRE(context.run(kForward, {x.view()}, second) == MLGC_OK);
  CHECK(second[0].data != first[0].data);
  CHECK(static_cast<const float*>(first[1].data)[1] == 12);
  CHECK(context.memory().pool_lent == 2 * (32 + 8));
  void* const given = first[0].data;
  REQUIRE(mlgc_release(context.get(), given) == MLGC_OK);
  CHECK(mlgc_release(context.get(), given) == MLGC_BAD_USAGE);
  CHECK(mlgc_release(context.get(), x.data.data()) == MLGC_BAD_USAGE);
  std::vector<mlgc_tensor> third{lent(), lent()};
  REQUIRE(context.run(kForward, {x.view()}, third) == MLGC_OK);
  CHECK(third[0].data == given);
}

TEST_CASE("a refused call leaves outputs that the host holds with it") {
  const Program program;
  const Context context(program);
  HostTensor<float> x = f32({2, 4}, {1, -1, 1, 1, 2, 2, 2, -2});
  std::vector<mlgc_tensor> held{lent(), lent()};
  REQUIRE(context.run(kForward, {x.view()}, held) == MLGC_OK);
  CHECK(context.refused(MLGC_BAD_INPUT, kForward, {x.view()}, {f32({3, 4}).view(), lent()}) ==
        "output `y`: dim 0 (`B`) is 3, for these inputs it is 2");
  CHECK(context.memory().pool_lent == 32 + 8);
  HostTensor<float> zeros = f32({2, 4});
  std::vector<mlgc_tensor> next{lent(), lent()};
  REQUIRE(context.run(kForward, {zeros.view()}, next) == MLGC_OK);
  CHECK(next[0].data != held[0].data);
  CHECK(next[1].data != held[1].data);
  CHECK(static_cast<const float*>(held[1].data)[1] == 12);
  for (const mlgc_tensor& output : held) CHECK(mlgc_release(context.get(), output.data) == MLGC_OK);
}

TEST_CASE("output sizes are told before a run") {
  const Program program;
  const Context context(program);
  mlgc_tensor x = f32({7, 4}).view();
  x.data = nullptr;
  const std::vector<mlgc_i64> sizes{7, 4};
  x.sizes = sizes.data();
  std::vector<mlgc_tensor> outputs{lent(), lent()};
  REQUIRE(mlgc_output_shapes(context.get(), kForward, &x, 1, outputs.data(), 2) == MLGC_OK);
  CHECK(outputs[0].sizes[0] == 7);
  CHECK(outputs[0].bytes == 7 * 4 * 4);
  CHECK(outputs[0].data == nullptr);
  CHECK(outputs[1].rank == 1);
  CHECK(outputs[1].sizes[0] == 7);
  CHECK(mlgc_output_shapes(context.get(), kForward, &x, 1, outputs.data(), 1) == MLGC_BAD_USAGE);
  CHECK(context.error() == "`forward` has 2 outputs, 1 are given");
}

TEST_CASE("results do not depend on threads or on who owns them") {
  const Program program;
  std::vector<float> values(256 * 4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 13) - 6;
  HostTensor<float> x = f32({256, 4}, values);
  std::vector<float> wanted;
  const auto serial = [](void*, mlgc_i64 n, mlgc_range_function* fn, void* arg) {
    for (mlgc_i64 i = n; i-- > 0;) fn(arg, i, i + 1);
  };
  for (const mlgc_i32 threads : {1, 2, 3, 8, -1}) {
    mlgc_context_options options = {};
    options.threads = threads > 0 ? threads : 2;
    options.parallel_for = threads > 0 ? nullptr : +serial;
    const Context context(program, options);
    for (int round = 0; round < 20; ++round) {
      HostTensor<float> y = f32({256, 4});
      HostTensor<float> sum = f32({256});
      std::vector<mlgc_tensor> outputs{y.view(), sum.view()};
      REQUIRE(context.run(kForward, {x.view()}, outputs) == MLGC_OK);
      if (wanted.empty()) wanted = sum.data;
      REQUIRE(sum.data == wanted);
    }
  }
  CHECK(wanted[0] == 0);
  CHECK(wanted[2] == 2 * 1 + 3 * 2 + 4 * 3 + 5 * 4);
}

TEST_CASE("states live in the context and are replaced when a call succeeds") {
  const Program program;
  const Context context(program);
  const Context other(program);
  HostTensor<float> x = f32({1, 4}, {1, 2, 3, 4});
  for (int call = 0; call < 3; ++call) {
    std::vector<mlgc_tensor> outputs{lent(), lent()};
    REQUIRE(context.run(kForward, {x.view()}, outputs) == MLGC_OK);
  }
  CHECK(context.state<mlgc_i64>(0, 1) == std::vector<mlgc_i64>{13});
  CHECK(other.state<mlgc_i64>(0, 1) == std::vector<mlgc_i64>{10});
  const mlgc_i64 value = 40;
  REQUIRE(mlgc_state_write(context.get(), 0, &value, sizeof value) == MLGC_OK);
  std::vector<mlgc_tensor> outputs{lent(), lent()};
  REQUIRE(context.run(kForward, {x.view()}, outputs) == MLGC_OK);
  CHECK(context.state<mlgc_i64>(0, 1) == std::vector<mlgc_i64>{41});
  HostTensor<float> wrong = f32({1, 5});
  CHECK(context.run(kForward, {wrong.view()}, outputs) == MLGC_BAD_INPUT);
  CHECK(context.state<mlgc_i64>(0, 1) == std::vector<mlgc_i64>{41});
  REQUIRE(mlgc_states_reset(context.get()) == MLGC_OK);
  CHECK(context.state<mlgc_i64>(0, 1) == std::vector<mlgc_i64>{10});
  CHECK(mlgc_state_read(context.get(), 0, outputs.data(), 4) == MLGC_BAD_USAGE);
  CHECK(context.error() == "state `calls` has 8 bytes, 4 are given");
  CHECK(mlgc_state_read(context.get(), 2, outputs.data(), 4) == MLGC_BAD_USAGE);
  CHECK(context.error() == "there is no state 2, `sample` has 2");
  mlgc_state_info info = {};
  info.struct_size = sizeof info;
  REQUIRE(mlgc_state(program.get(), 1, &info) == MLGC_OK);
  CHECK(info.name == "total"s);
  CHECK(info.rank == 1);
  CHECK(info.bytes == 16);
  CHECK(mlgc_state(program.get(), 2, &info) == MLGC_BAD_USAGE);
}

TEST_CASE("what a plan updates in place lies where it lay") {
  const Program program;
  const Context context(program);
  HostTensor<float> x = f32({4}, {1, 2, 3, 4});
  alignas(16) float p[4] = {10, 10, 10, 10};
  mlgc_tensor p_view = x.view();
  p_view.data = p;
  std::vector<mlgc_tensor> outputs{p_view};
  REQUIRE(context.run(kStep, {x.view(), p_view}, outputs) == MLGC_OK);
  REQUIRE(context.run(kStep, {x.view(), p_view}, outputs) == MLGC_OK);
  CHECK(std::vector<float>(p, p + 4) == std::vector<float>{12, 14, 16, 18});
  CHECK(context.state<float>(1, 4) == std::vector<float>{2, 4, 6, 108});
  CHECK(context.memory().states == 16);
  // The file, which other contexts read, is as it was.
  CHECK(Context(program).state<float>(1, 4) == std::vector<float>{0, 0, 0, 100});
}

TEST_CASE("the arena is planned by size and touched up to its plan") {
  const Program program;
  mlgc_context_options options = {};
  options.measure_arena = 1;
  const Context context(program, options);
  for (const mlgc_i64 rows : {1, 5, 64, 5}) {
    HostTensor<float> x = f32({rows, 4}, std::vector<float>(static_cast<std::size_t>(4 * rows), 1));
    std::vector<mlgc_tensor> outputs{lent(), lent()};
    REQUIRE(context.run(kForward, {x.view()}, outputs) == MLGC_OK);
    CHECK(context.memory().arena_planned == (16 * rows + 63) / 64 * 64);
    CHECK(context.memory().arena_touched == 16 * rows);
    for (const mlgc_tensor& output : outputs) REQUIRE(mlgc_release(context.get(), output.data) == MLGC_OK);
  }
  CHECK(Context(program).memory().arena_touched == -1);
}

TEST_CASE("a limit on memory is kept") {
  const Program program;
  mlgc_context_options options = {};
  options.memory_limit = 400;
  const Context context(program, options);
  HostTensor<float> x = f32({4, 4});
  std::vector<mlgc_tensor> outputs{lent(), lent()};
  REQUIRE(context.run(kForward, {x.view()}, outputs) == MLGC_OK);  // 64 + 64 + 64 + 16
  HostTensor<float> larger = f32({24, 4});
  CHECK(context.refused(MLGC_LIMIT, kForward, {larger.view()}, {lent(), lent()}) ==
        "384 bytes for temporaries of `forward` are more than the limit of 400 allows");
  CHECK(context.refused(MLGC_LIMIT, kForward, {f32({12, 4}).view()}, {lent(), lent()}) ==
        "output `y`, 192 bytes: more than the limit allows");
  // What nobody has is given up before a call is refused.
  for (const mlgc_tensor& output : outputs) REQUIRE(mlgc_release(context.get(), output.data) == MLGC_OK);
  CHECK(context.memory().pool_held == 80);
  HostTensor<float> y = f32({20, 4});
  HostTensor<float> sum = f32({20});
  outputs = {y.view(), sum.view()};
  CHECK(context.run(kForward, {f32({20, 4}).view()}, outputs) == MLGC_OK);
  CHECK(context.memory().pool_held == 0);
}

TEST_CASE("each launch is logged with what the plan says of it") {
  const Program program;
  std::vector<std::string> lines;
  mlgc_context_options options = {};
  options.log_data = &lines;
  options.log = [](void* data, const mlgc_launch_event* event) {
    static_cast<std::vector<std::string>*>(data)->push_back(
        std::string(event->function) + " " + std::to_string(event->number) + " " + event->kernel + " " +
        std::to_string(event->bytes) + " " + std::to_string(event->flops) + (event->nanoseconds >= 0 ? "" : " ?"));
  };
  const Context context(program, options);
  std::vector<mlgc_tensor> outputs{lent(), lent()};
  REQUIRE(context.run(kForward, {f32({3, 4}).view()}, outputs) == MLGC_OK);
  CHECK(lines == std::vector<std::string>{"forward 0 mul 96 12", "forward 1 relu_sum -1 -1"});
}

TEST_CASE("a call on a context that another call uses is refused, and changes nothing") {
  const Program program;
  struct Other {
    const Context* context;
    std::vector<mlgc_i32> statuses;
  } other = {};
  mlgc_context_options options = {};
  options.log_data = &other;
  options.log = [](void* data, const mlgc_launch_event*) {
    auto& [context, statuses] = *static_cast<Other*>(data);
    const mlgc_i64 calls = 100;
    HostTensor<float> x = f32({3, 4});
    std::vector<mlgc_tensor> outputs{lent(), lent()};
    statuses.push_back(context->run(kForward, {x.view()}, outputs));
    statuses.push_back(mlgc_state_write(context->get(), 0, &calls, sizeof calls));
    statuses.push_back(mlgc_states_reset(context->get()));
  };
  const Context context(program, options);
  other.context = &context;
  const mlgc_i64 calls = context.state<mlgc_i64>(0, 1)[0];
  std::vector<mlgc_tensor> outputs{lent(), lent()};
  REQUIRE(context.run(kForward, {f32({3, 4}).view()}, outputs) == MLGC_OK);
  CHECK(other.statuses == std::vector<mlgc_i32>(6, MLGC_BAD_USAGE));
  CHECK(context.error().empty());
  CHECK(context.state<mlgc_i64>(0, 1) == std::vector<mlgc_i64>{calls + 1});
}

TEST_CASE("empty tensors run") {
  const Program program;
  const Context context(program);
  HostTensor<mlgc_i64> at = i64({});
  std::vector<mlgc_tensor> outputs{lent()};
  REQUIRE(context.run(kPick, {f32({0, 2}).view(), at.view()}, outputs) == MLGC_OK);
  CHECK(outputs[0].sizes[0] == 0);
  CHECK(outputs[0].bytes == 0);
  CHECK(outputs[0].data != nullptr);
  CHECK(mlgc_release(context.get(), outputs[0].data) == MLGC_OK);
}

TEST_CASE("states of no bytes are read, written and updated") {
  // As `state @none : tensor<0xf32>`, which every function here updates.
  const mlgc_i64 size = 0;
  const mlgc_dim dim = {"0", {0, nullptr}};
  const mlgc_data state = {"none", MLGC_F32, 1, &size, 232, 0};
  mlgc_value updated = {"@none", MLGC_F32, 1, &dim, 0, 0, -1, 0};
  mlgc_function function = {};
  function.name = "update";
  function.output_count = 1;
  function.outputs = &updated;
  function.run = [](const mlgc_call* call) -> mlgc_i32 {
    return call->states[0] != nullptr && call->outputs[0] != nullptr ? 0 : 1;
  };
  mlgc_unit unit = *mlgc_unit_sample();
  unit.functions = &function;
  unit.function_count = 1;
  unit.states = &state;
  unit.state_count = 1;
  for (const mlgc_i32 in_place : {0, 1}) {
    updated.in_place = in_place;
    const Program program(&unit);
    const Context context(program);
    for (int round = 0; round < 3; ++round) {
      std::vector<mlgc_tensor> none;
      INFO("in place: " << in_place << ", round " << round);
      CHECK(context.run(0, {}, none) == MLGC_OK);
      CHECK(context.error().empty());
      CHECK(mlgc_state_write(context.get(), 0, nullptr, 0) == MLGC_OK);
      CHECK(context.error().empty());
      CHECK(mlgc_state_read(context.get(), 0, nullptr, 0) == MLGC_OK);
    }
    CHECK(mlgc_states_reset(context.get()) == MLGC_OK);
    CHECK(mlgc_state_read(context.get(), 0, nullptr, 0) == MLGC_OK);
  }
}

TEST_CASE("a failure that was noted fails the call, whatever the function returns") {
  mlgc_function function = {};
  function.name = "careless";
  function.run = [](const mlgc_call* call) -> mlgc_i32 {
    (void)call->runtime->fail(call->runtime, "the device is gone", nullptr, 0);
    return 0;
  };
  mlgc_unit unit = *mlgc_unit_sample();
  unit.functions = &function;
  unit.function_count = 1;
  const Program program(&unit);
  const Context context(program);
  std::vector<mlgc_tensor> none;
  CHECK(context.run(0, {}, none) == MLGC_BAD_INPUT);
  CHECK(context.error() == "`careless`: the device is gone");
}

TEST_CASE("more shapes than are kept") {
  const Program program;
  const Context context(program);
  for (int round = 0; round < 2; ++round)
    for (mlgc_i64 rows = 1; rows <= 40; ++rows) {
      HostTensor<float> x = f32({rows, 4}, std::vector<float>(static_cast<std::size_t>(4 * rows), 1));
      std::vector<mlgc_tensor> outputs{lent(), lent()};
      REQUIRE(context.run(kForward, {x.view()}, outputs) == MLGC_OK);
      REQUIRE(outputs[1].sizes[0] == rows);
      REQUIRE(static_cast<const float*>(outputs[1].data)[rows - 1] == 10);
      for (const mlgc_tensor& output : outputs) REQUIRE(mlgc_release(context.get(), output.data) == MLGC_OK);
    }
  CHECK(context.memory().pool_held < 10000);
}
