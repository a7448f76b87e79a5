// Compiled models against the interpreter on the loop text that they were printed from, bit for bit: with the C
// library's mathematics nothing may differ.
#include "compile/run_emitted.h"

#include <cstdlib>

#include "support/scratch_folder.h"
#include "transforms/pipelines.h"
#include "transforms/program.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

// Nothing that a test compiles is kept.
struct NoCache {
  NoCache() { setenv("MLGC_CACHE", "off", 1); }
} const no_cache;

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::ranges::equal(a.bytes(), b.bytes());
}

Tensor floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::from_values(shape, std::span(values));
}

// A program as a compiled model with a context.
class Compiled {
 public:
  Compiled(const std::string& text, const ModuleData& data, std::size_t bytes_per_file = EmitOptions{}.bytes_per_file)
      : context_(make_context()), lowered_(test::parse(context_, text)), data_(data) {
    for (const NamedPipeline& level : level_pipelines())
      if (level.name == "plan") {
        DiagnosticEngine diagnostics(context_->locations());
        const auto pipeline = parse_pipeline(level.text, all_passes());
        const bool ok = PassManager(*context_, {.verify = verify}).run(lowered_, *pipeline, diagnostics);
        INFO(render_text(diagnostics));
        REQUIRE(ok);
      }
    EmitOptions options;
    options.mathematics = Mathematics::Library;
    options.bytes_per_file = bytes_per_file;
    auto emitted = emit_model(lowered_, data, options);
    INFO((emitted ? "" : emitted.error().message()));
    REQUIRE(emitted.ok());
    emitted_ = *std::move(emitted);
    CompileOptions compile;
    compile.flags = {"-O1"};
    compile.vector_bytes = 16;
    DiagnosticEngine diagnostics(context_->locations());
    auto model = load_emitted(*emitted_, compile, diagnostics);
    INFO((model ? "" : model.error().message()));
    REQUIRE(model.ok());
    model_ = *std::move(model);
    auto context = ModelContext::make(*model_, {.measure_arena = true});
    REQUIRE(context.ok());
    run_context_ = *std::move(context);
  }

  const EmittedModel& emitted() const { return *emitted_; }
  // Of the last call.
  mlgc_memory memory() const { return run_context_->memory(); }

  Result<Outputs, Diagnostic> call(const std::string& function, std::span<const Tensor> inputs) {
    const std::int32_t number = model_->abi().find_function(model_->program(), function.c_str());
    REQUIRE(number >= 0);
    auto outputs = run_model(*model_, *run_context_, number, inputs);
    if (outputs) order_updates(find_function(lowered_, function), *outputs);
    return outputs;
  }

  // One call of both; the interpreter is given the states that the call before left.
  void check(const std::string& function, std::vector<Tensor> inputs) {
    const auto ours = call(function, inputs);
    const auto wanted = interpret(lowered_, function, inputs, data_);
    INFO((ours ? "" : ours.error().message()));
    REQUIRE(ours.ok());
    REQUIRE(wanted.ok());
    REQUIRE(ours->results.size() == wanted->results.size());
    for (std::size_t i = 0; i < wanted->results.size(); ++i) CHECK(same_bits(ours->results[i], wanted->results[i]));
    REQUIRE(ours->updates.size() == wanted->updates.size());
    for (std::size_t i = 0; i < wanted->updates.size(); ++i) {
      CHECK(ours->updates[i].first == wanted->updates[i].first);
      CHECK(same_bits(ours->updates[i].second, wanted->updates[i].second));
      if (wanted->updates[i].first.starts_with('@'))
        data_.insert_or_assign(wanted->updates[i].first.substr(1), wanted->updates[i].second);
    }
  }

 private:
  std::shared_ptr<Context> context_;
  Module lowered_;
  ModuleData data_;
  std::optional<EmittedModel> emitted_;
  std::optional<Model> model_;
  std::optional<ModelContext> run_context_;
};

constexpr const char* kChain = R"(
module @chain {
  weight @w : tensor<3x3xf32>
  weight @twice : tensor<3x3xf32> = {
    %w = read @w : tensor<3x3xf32>
    %t = add %w, %w : tensor<3x3xf32>
    yield %t
  }
  func @forward(%x: tensor<[B]x3xf32>) -> (tensor<[B]x3xf32>, tensor<3xf32>) where B <= 40 {
    %w = read @w : tensor<3x3xf32>
    %t = read @twice : tensor<3x3xf32>
    %a = matmul %x, %w : tensor<[B]x3xf32>
    %b = softmax %a {dim = 1} : tensor<[B]x3xf32>
    %c = matmul %b, %t : tensor<[B]x3xf32>
    %d = sum %c {dim = [0]} : tensor<3xf32>
    return %c, %d
  }
})";

const ModuleData& chain_data() {
  static const ModuleData data{{"w", floats({3, 3}, {1, 2, 3, -4, 5, 6, 7, 8, -9})}};
  return data;
}

Tensor ramp(std::int64_t rows) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < 3 * rows; ++i) values.push_back(0.25F * static_cast<float>(i % 17) - 1.5F);
  return floats({rows, 3}, values);
}

}  // namespace

TEST_CASE("a compiled model computes what the interpreter does, at every size, from one file or several") {
  for (const std::size_t bytes_per_file : {EmitOptions{}.bytes_per_file, std::size_t{1}}) {
    Compiled model(kChain, chain_data(), bytes_per_file);
    CHECK((model.emitted().source.sources.size() > 1) == (bytes_per_file == 1));
    for (const std::int64_t rows : {0, 1, 3, 40}) model.check("forward", {ramp(rows)});
  }
}

TEST_CASE("derived weights are computed when the model is emitted") {
  Compiled model(kChain, chain_data());
  REQUIRE(model.emitted().weights.size() == 2);
  CHECK(model.emitted().weights[1].first == "twice");
  CHECK(same_bits(model.emitted().weights[1].second, floats({3, 3}, {2, 4, 6, -8, 10, 12, 14, 16, -18})));
}

TEST_CASE("states stay in the context, new values of inputs are results") {
  Compiled model(R"(
module @counter {
  state @calls : tensor<i64>
  state @total : tensor<2xf32>
  func @step(%x: tensor<2xf32>, %p: tensor<2xf32>) -> (tensor<2xf32>) updates (@calls = %n, %p = %q, @total = %t) {
    %calls = read @calls : tensor<i64>
    %total = read @total : tensor<2xf32>
    %n = add %calls {other = 1} : tensor<i64>
    %t = add %total, %x : tensor<2xf32>
    %q = mul %p, %x : tensor<2xf32>
    %y = add %t, %q : tensor<2xf32>
    return %y, %n, %q, %t
  }
  func @scaled(%scale: tensor<2xf32>) -> tensor<2xf32> {
    %total = read @total : tensor<2xf32>
    %y = mul %total, %scale : tensor<2xf32>
    return %y
  }
})",
                 {{"calls", Tensor::zeros(Dtype::I64, {})}, {"total", floats({2}, {1, -1})}});
  for (int i = 0; i < 3; ++i) model.check("step", {floats({2}, {0.5F, 3}), floats({2}, {2, 4})});
  model.check("scaled", {floats({2}, {10, 100})});
}

TEST_CASE("the arena is what is alive at once, and is used up to its end") {
  Compiled model(R"(
func @f(%x: tensor<[B]x8xf32>, %w: tensor<8x8xf32>) -> tensor<[B]x8xf32> {
  %a = matmul %x, %w : tensor<[B]x8xf32>
  %b = softmax %a {dim = 1} : tensor<[B]x8xf32>
  %c = matmul %b, %w : tensor<[B]x8xf32>
  %d = softmax %c {dim = 1} : tensor<[B]x8xf32>
  %y = matmul %d, %w : tensor<[B]x8xf32>
  return %y
})",
                 {});
  for (const std::int64_t rows : {1, 3, 40}) {
    std::vector<float> values(static_cast<std::size_t>(8 * rows), 0.5F);
    model.check("f", {floats({rows, 8}, values), floats({8, 8}, std::vector<float>(64, 0.25F))});
    // One product is read while the next one is written; softmax works in place.
    CHECK(model.memory().arena_planned == 2 * ((32 * rows + 63) / 64 * 64));
    CHECK(model.memory().arena_touched > model.memory().arena_planned - 64);
    CHECK(model.memory().arena_touched <= model.memory().arena_planned);
  }
}

TEST_CASE("a state that is written in place is held once") {
  const auto held = [](const std::string& new_value) {
    Compiled model(
        "state @s : tensor<64xf32>\nfunc @f(%x: tensor<64xf32>) -> tensor<64xf32> updates (@s = %n) {\n"
        "  %s = read @s : tensor<64xf32>\n  %n = " +
            new_value + " : tensor<64xf32>\n  %y = mul %n, %x : tensor<64xf32>\n  return %y, %n\n}",
        {{"s", floats({64}, std::vector<float>(64, 0.5F))}});
    for (int i = 0; i < 3; ++i) model.check("f", {floats({64}, std::vector<float>(64, 1.5F))});
    return model.memory().states;
  };
  CHECK(held("add %s, %x") == 256);
  CHECK(held("flip %s {dims = [0]}") == 512);
}

TEST_CASE("a size is the value of an input") {
  const auto model_of = [](const std::string& dtype) {
    return Compiled("func @f(%n: tensor<" + dtype +
                        ">, %x: tensor<[B]xf32>) -> tensor<[S]x[B]xf32> {\n  %r = range %n : " +
                        "tensor<[S]xi64> where S <= 200\n  %c = cast %r {dtype = f32} : tensor<[S]xf32>\n" +
                        "  %v = view %c {shape = [S, 1]} : tensor<[S]x1xf32>\n  %y = add %v, %x : " +
                        "tensor<[S]x[B]xf32>\n  return %y\n}",
                    {});
  };
  const Tensor x = floats({2}, {0.5F, 1.5F});
  const auto number = []<class T>(T value) { return Tensor::from_values({}, std::span<const T>(&value, 1)); };
  Compiled wide = model_of("i64"), narrow = model_of("i32");
  for (const std::int64_t size : {0, 3, 200}) wide.check("f", {number(size), x});
  narrow.check("f", {number(std::int32_t{100}), x});
  const auto message = [&](Compiled& model, const Tensor& n) {
    const Tensor inputs[] = {n, x};
    const auto outputs = model.call("f", inputs);
    return outputs ? std::string("nothing was refused") : outputs.error().message();
  };
  CHECK_THAT(message(narrow, number(std::int32_t{-1})),
             Catch::Matchers::Contains("input `n`: its value, the size `S`, is -1, the model has 0 <= S <= 200"));
  CHECK_THAT(message(wide, number(std::int64_t{201})),
             Catch::Matchers::Contains("input `n`: its value, the size `S`, is 201, the model has 0 <= S <= 200"));
}

TEST_CASE("what the function refuses is refused, with the reason") {
  Compiled model(R"(
module @pick {
  func @pick(%table: tensor<[N]x2xf32>, %at: tensor<[M]xi64>) -> tensor<[M]x2xf32> where M mod 2 == 0, 3 <= N {
    %y = index_select %table, %at {dim = 0} : tensor<[M]x2xf32>
    return %y
  }
})",
                 {});
  const Tensor table = floats({3, 2}, {1, 2, 3, 4, 5, 6});
  const auto at = [](const std::vector<std::int64_t>& values) {
    return Tensor::from_values({static_cast<std::int64_t>(values.size())}, std::span(values));
  };
  model.check("pick", {table, at({2, 0})});
  const auto message = [&](const Tensor& t, const Tensor& indices) {
    const Tensor inputs[] = {t, indices};
    const auto outputs = model.call("pick", inputs);
    return outputs ? std::string("nothing was refused") : outputs.error().message();
  };
  CHECK_THAT(message(table, at({1})), Catch::Matchers::Contains("M mod 2 == 0"));
  CHECK_THAT(message(floats({2, 2}, {1, 2, 3, 4}), at({})),
             Catch::Matchers::Contains("dim 0 (`N`) is 2, the model has N >= 3"));
  CHECK_THAT(message(table, at({1, 3})), Catch::Matchers::Contains("at index 3 of axis 0, which has size 3"));
}

}  // namespace mlgc
