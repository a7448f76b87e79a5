// A size that a call computes: what is planned, checked and described once it is known.
#include "runtime/sample.h"

namespace {

// @positive(x: [N]xf32) -> y: [P]xf32 where P <= N - 1, P <= 6: the elements above 0, by way of a buffer of P elements.
mlgc_i32 positive(const mlgc_call* call) {
  const float* const x = static_cast<const float*>(call->inputs[0]);
  const mlgc_i64 n = call->symbols[0];
  mlgc_i64* const count = reinterpret_cast<mlgc_i64*>(call->arena + call->offsets[0]);
  *count = 0;
  for (mlgc_i64 i = 0; i < n; ++i) *count += x[i] > 0 ? 1 : 0;
  if (const mlgc_i32 failed = call->runtime->bind_size(call->runtime, 1, *count)) return failed;
  const mlgc_i64 p = call->symbols[1];
  float* const kept = reinterpret_cast<float*>(call->late[0] + call->offsets[1]);
  for (mlgc_i64 i = 0, at = 0; i < n; ++i)
    if (x[i] > 0) kept[at++] = x[i];
  for (mlgc_i64 i = 0; i < p; ++i) static_cast<float*>(call->outputs[0])[i] = kept[i];
  return 0;
}

const mlgc_i64 kN[] = {MLGC_SYMBOL, 0, MLGC_END};
const mlgc_i64 kP[] = {MLGC_SYMBOL, 1, MLGC_END};
const mlgc_i64 kBytes[] = {MLGC_CONSTANT, 4, MLGC_SYMBOL, 1, MLGC_MUL, MLGC_END};
const mlgc_i64 kLess[] = {MLGC_SYMBOL, 1, MLGC_SYMBOL, 0, MLGC_LT, MLGC_END};
const mlgc_dim kDimsN[] = {{"N", {0, kN}}};
const mlgc_dim kDimsP[] = {{"P", {0, kP}}};
const mlgc_symbol kSymbols[] = {{"N", 0, MLGC_I64_MAX, 0}, {"P", 0, 6, 1}};
const mlgc_binding kBindings[] = {{0, 0, 0, 1, 0}};
const mlgc_constraint kConstraints[] = {{"P < N", kLess}};
const mlgc_value kInputs[] = {{"x", MLGC_F32, 1, kDimsN, 0, -1, -1, 0}};
const mlgc_value kOutputs[] = {{"y", MLGC_F32, 1, kDimsP, 0, -1, -1, 0}};
const mlgc_buffer kBuffers[] = {{"count", {8, nullptr}, 0, 1}, {"kept", {0, kBytes}, 2, 3}};
const mlgc_integer kScratch[] = {{0, kBytes}};
const mlgc_function kFunctions[] = {{"positive",
                                     2,
                                     1,
                                     1,
                                     1,
                                     1,
                                     2,
                                     0,
                                     kSymbols,
                                     kBindings,
                                     kConstraints,
                                     kInputs,
                                     kOutputs,
                                     kBuffers,
                                     nullptr,
                                     {0, nullptr},
                                     positive,
                                     1,
                                     kScratch}};
const mlgc_unit kUnit = {MLGC_UNIT_ABI, "late", "0.1.0", 1, 0,      0, kFunctions, nullptr, nullptr, 0, 0, 0,
                         nullptr,       "",     nullptr, 0, nullptr};

std::vector<float> values_of(const mlgc_tensor& tensor) {
  const auto* const first = static_cast<const float*>(tensor.data);
  return {first, first + tensor.sizes[0]};
}

}  // namespace

TEST_CASE("outputs of a size that the call computes are lent and described") {
  const Program program(&kUnit);
  mlgc_context_options options = {};
  options.measure_arena = 1;
  const Context context(program, options);
  for (const std::vector<float>& x :
       {std::vector<float>{1, -1, 2, 0}, {-1, -2}, {1, 2, 3, 4, 5, 6, -7, -8}, {1, -1, 2, 0}}) {
    HostTensor<float> input = f32({static_cast<mlgc_i64>(x.size())}, x);
    std::vector<mlgc_tensor> outputs{lent()};
    REQUIRE(context.run(0, {input.view()}, outputs) == MLGC_OK);
    std::vector<float> wanted;
    for (const float v : x)
      if (v > 0) wanted.push_back(v);
    CHECK(outputs[0].rank == 1);
    CHECK(outputs[0].bytes == 4 * wanted.size());
    CHECK(values_of(outputs[0]) == wanted);
    const mlgc_memory memory = context.memory();
    CHECK(memory.arena_planned == 64 + static_cast<mlgc_i64>(wanted.size() * 4 + 63) / 64 * 64);
    CHECK(memory.arena_touched == 8 + static_cast<mlgc_i64>(4 * wanted.size()));
    CHECK(memory.scratch_held >= static_cast<mlgc_i64>(4 * wanted.size()));
    CHECK(mlgc_release(context.get(), outputs[0].data) == MLGC_OK);
  }
}

TEST_CASE("memory of the host is enough, or the call says how much it wants") {
  const Program program(&kUnit);
  const Context context(program);
  HostTensor<float> x = f32({4}, {1, -1, 2, 3});
  std::vector<float> room(4, 9);
  mlgc_tensor y = lent();
  y.dtype = MLGC_F32;
  y.rank = 1;
  y.data = room.data();
  y.bytes = 2 * sizeof(float);
  std::vector<mlgc_tensor> outputs{y};
  REQUIRE(context.run(0, {x.view()}, outputs) == MLGC_BAD_INPUT);
  CHECK(context.error() == "output `y` has 8 bytes, its sizes ask for 12");
  REQUIRE(outputs[0].sizes != nullptr);
  CHECK(outputs[0].sizes[0] == 3);
  CHECK(outputs[0].bytes == 8);
  CHECK(room == std::vector<float>(4, 9));
  outputs[0].bytes = 4 * sizeof(float);
  REQUIRE(context.run(0, {x.view()}, outputs) == MLGC_OK);
  CHECK(outputs[0].sizes[0] == 3);
  CHECK(outputs[0].bytes == 16);
  CHECK(room == std::vector<float>{1, 2, 3, 9});
  CHECK(context.memory().pool_lent == 0);
}

TEST_CASE("sizes that only a run tells are not told before") {
  const Program program(&kUnit);
  const Context context(program);
  HostTensor<float> x = f32({3}, {1, -1, 2});
  const mlgc_tensor input = x.view();
  for (int time = 0; time < 2; ++time) {
    mlgc_tensor output = lent();
    REQUIRE(mlgc_output_shapes(context.get(), 0, &input, 1, &output, 1) == MLGC_OK);
    CHECK(output.rank == 1);
    CHECK(output.sizes[0] == -1);
    CHECK(output.bytes == 0);
    std::vector<mlgc_tensor> outputs{lent()};
    REQUIRE(context.run(0, {input}, outputs) == MLGC_OK);
    CHECK(mlgc_release(context.get(), outputs[0].data) == MLGC_OK);
  }
}

TEST_CASE("computed sizes are held to what the model says of them") {
  const Program program(&kUnit);
  const Context context(program);
  HostTensor<float> many = f32({9}, std::vector<float>(9, 1)), all = f32({3}, std::vector<float>(3, 1));
  CHECK(context.refused(MLGC_BAD_INPUT, 0, {many.view()}, {lent()}) ==
        "`positive`: the size `P` is computed and is 9, the model has 0 <= P <= 6");
  CHECK(context.refused(MLGC_BAD_INPUT, 0, {all.view()}, {lent()}) == "the model wants `P < N`, and P is 3, N is 3");
  CHECK(context.memory().pool_lent == 0);
}

TEST_CASE("memory for a computed size is within the limit, or the call ends") {
  const Program program(&kUnit);
  mlgc_context_options options = {};
  options.memory_limit = 64 + 16;
  const Context context(program, options);
  HostTensor<float> x = f32({8}, {1, 2, 3, 4, 5, 6, 0, 0}), none = f32({8});
  CHECK(context.refused(MLGC_LIMIT, 0, {x.view()}, {lent()}) ==
        "64 bytes for temporaries of `positive` are more than the limit of 80 allows");
  std::vector<mlgc_tensor> outputs{lent()};
  REQUIRE(context.run(0, {none.view()}, outputs) == MLGC_OK);
  CHECK(outputs[0].sizes[0] == 0);
}

TEST_CASE("memory of the host for a computed size is checked as far as it is known") {
  const Program program(&kUnit);
  const Context context(program);
  HostTensor<float> x = f32({4}, {1, -1, 2, 3});
  mlgc_tensor y = x.view();
  CHECK(context.refused(MLGC_BAD_INPUT, 0, {x.view()}, {y}) == "output `y` shares memory with input `x`");
  HostTensor<double> wide = f64({4});
  CHECK(context.refused(MLGC_BAD_INPUT, 0, {x.view()}, {wide.view()}) ==
        "output `y` is of dtype f64, the model has f32");
  HostTensor<float> room = f32({4});
  const mlgc_i64 stride[] = {1};
  y = room.view();
  y.strides = stride;
  CHECK(context.refused(MLGC_BAD_INPUT, 0, {x.view()}, {y}) ==
        "output `y` has strides, and its sizes are known only when the call has run");
}
