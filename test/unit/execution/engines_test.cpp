// Functions run by engines without a command line: bound, run, compared.
#include "execution/engines.h"

#include "diag/kinds_torch.h"
#include "execution/compare_engines.h"
#include "execution/module_data.h"
#include "execution/program.h"
#include "tensor/compare.h"

namespace mlgc {
namespace {

const test::NoCache no_cache;

constexpr std::int32_t kNarrow = 16;  // bytes of a vector that every CPU has

BoundRun bound(const Module& module, const std::string& function, const ArgumentOptions& arguments) {
  DiagnosticEngine diagnostics(module.context().locations());
  auto run = bind_run(find_function(module, function), arguments, {.weights = "", .random_seed = 1}, {}, diagnostics);
  INFO(render_text(diagnostics));
  REQUIRE(run.has_value());
  return *std::move(run);
}

std::vector<OpenEngine> opened(const std::vector<std::string>& names) {
  std::vector<const EngineDef*> defs;
  for (const std::string& name : names) {
    const auto def = find_engine(name);
    REQUIRE(def.ok());
    defs.push_back(*def);
  }
  EngineSettings settings;
  settings.vectors.given = kNarrow;
  auto engines = open_engines(defs, settings);
  REQUIRE(engines.ok());
  return *std::move(engines);
}

Outputs evaluated(const OpenEngine& engine, Module& module, const std::string& function, const BoundRun& run,
                  Precision precision = Precision::Native) {
  DiagnosticEngine diagnostics(module.context().locations());
  auto outputs =
      engine.engine->evaluate({module, function, run.inputs, run.data}, {.precision = precision}, diagnostics);
  INFO(render_text(diagnostics));
  REQUIRE(outputs.has_value());
  return *std::move(outputs);
}

// The interpreter, but for one element.
class Wrong : public Engine {
 public:
  Result<std::vector<EngineValue>, Diagnostic> run(const EngineCall& call, Seen) override {
    auto values = interpreted_values(call, {});
    if (values) values->back().second.set_double(0, values->back().second.get_double(0) + 1);
    return values;
  }
  std::optional<Outputs> evaluate(const EngineCall&, const EngineRunOptions&, DiagnosticEngine&) override {
    return std::nullopt;
  }
};

}  // namespace

TEST_CASE("a function of a text gives the same by the interpreter and compiled") {
  Module module = test::sample("mlp.mlir");
  ArgumentOptions arguments;
  arguments.inputs = {"x=rand:seed=2,lo=-1,hi=1"};
  arguments.dims = {{"B", 3}};
  const BoundRun run = bound(module, "forward", arguments);
  REQUIRE(run.inputs.size() == 1);
  CHECK(run.inputs[0].shape() == Shape{3, 8});
  CHECK(run.data.size() == 4);

  const std::vector<OpenEngine> engines = opened({"interp", "cpp"});
  const Outputs interpreted = evaluated(engines[0], module, "forward", run);
  const Outputs compiled = evaluated(engines[1], module, "forward", run);
  const Outputs exact = evaluated(engines[0], module, "forward", run, Precision::F64);
  REQUIRE(compiled.results.size() == 1);
  CHECK(agrees(compiled.results[0], exact.results[0], &interpreted.results[0]).agrees);
  Tensor wrong = compiled.results[0];
  wrong.set_double(0, wrong.get_double(0) + 1);
  CHECK_FALSE(agrees(wrong, exact.results[0], &interpreted.results[0]).agrees);
}

TEST_CASE("engines are compared value by value, on inputs that are drawn") {
  Module module = test::sample("mlp.mlir");
  DiagnosticEngine diagnostics(module.context().locations());
  const std::vector<FunctionRuns> runs = draw_runs(module, "forward", 0, diagnostics);
  REQUIRE(runs.size() == 1);
  const EnginesCompared counts = compare_engines(module, runs, opened({"interp", "compiled"}), diagnostics);
  INFO(render_text(diagnostics));
  CHECK_FALSE(diagnostics.has_errors());
  CHECK(counts.functions == 1);
  CHECK(counts.runs == runs[0].runs.size());
  CHECK(counts.values > 1);
  CHECK(counts.parted == 0);
}

TEST_CASE("the first value of an engine that parts is named") {
  Module module = test::sample("gelu_by_parts.mlir");
  DiagnosticEngine diagnostics(module.context().locations());
  const std::vector<FunctionRuns> runs = draw_runs(module, "gelu", 0, diagnostics);
  std::vector<OpenEngine> engines = opened({"interp"});
  constexpr EngineDef kWrong{.name = "wrong", .short_name = "wrong", .summary = "wrong"};
  engines.push_back({&kWrong, std::make_unique<Wrong>()});
  const EnginesCompared counts = compare_engines(module, runs, engines, diagnostics);
  CHECK(counts.parted == 1);
  REQUIRE(diagnostics.sorted().size() == 1);
  const Diagnostic found = diagnostics.sorted()[0];
  CHECK(found.kind == &kEnginesPart);
  CHECK_THAT(found.message(), StartsWith("`%parts` of `mul` is the first value that parts: wrong is off by "));
}

TEST_CASE("engines are found by either name, and others are refused with what may have been meant") {
  for (const EngineDef& def : engines()) {
    const auto by_name = find_engine(def.name), by_short_name = find_engine(def.short_name);
    REQUIRE((by_name.ok() && by_short_name.ok()));
    CHECK(*by_name == &def);
    CHECK(*by_short_name == &def);
  }
  const auto unknown = find_engine("compild");
  REQUIRE(!unknown);
  CHECK(unknown.error().message() == "there is no engine `compild`");
  REQUIRE(unknown.error().notes.size() == 1);
  CHECK_THAT(unknown.error().notes[0].message(), Contains("compiled"));
}

}  // namespace mlgc
