// The C99 target on the samples: what it prints compiles as strict C99 without a runtime, and computes what the program
// says. It is in no table of the compiler: the row is handed to emit_model().
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "c99_target.h"
#include "check/draw_inputs.h"
#include "compile/emitted_folder.h"
#include "interp/bind_symbols.h"
#include "interp/interpret_module.h"
#include "ir/function.h"
#include "loopir/functions.h"
#include "support/scratch_folder.h"
#include "tensor/compare.h"
#include "transforms/pipelines.h"
#include "transforms/program.h"
#include "verify/verify.h"

namespace mlgc {
namespace {

struct mlgc_failure_of_c99 {
  const char* message;
  std::int64_t values[8];
  std::int32_t count;
};
struct mlgc_call_of_c99 {
  const void* const* inputs;
  void* const* outputs;
  const void* const* weights;
  const void* const* states;
  const std::int64_t* symbols;
  char* arena;
  const std::int64_t* offsets;
  mlgc_failure_of_c99* failure;
};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Module lowered(const Module& module) {
  Module out = module;
  for (const NamedPipeline& level : level_pipelines()) {
    if (level.name != c99::kC99Target.level) continue;
    DiagnosticEngine diagnostics(module.context().locations());
    const auto pipeline = parse_pipeline(level.text, all_passes());
    REQUIRE(pipeline.ok());
    const bool ok = PassManager(out.context(), {.verify = verify}).run(out, *pipeline, diagnostics);
    INFO(render_text(diagnostics));
    REQUIRE(ok);
    return out;
  }
  FAIL("there is no such level");
  return out;
}

// A folder as it was written, built by its own words: strict C99, nothing of a runtime.
class Built {
 public:
  explicit Built(const EmittedModel& model) : folder_(*ScratchFolder::make("mlgc-c99-")) {
    const std::string out = folder_.file("out"), library = folder_.file("model.so");
    REQUIRE(write_emitted(out, model).ok());
    CHECK(!std::filesystem::exists(out + "/runtime"));
    const std::string command = std::string(MLGC_CC) +
                                " -std=c99 -ffreestanding -pedantic -Wall -Wextra -Werror -Wno-unused-parameter "
                                "-Wno-unused-variable -Wno-unused-function -O1 -shared -fPIC -I" +
                                out + " " + out + "/model.c -lm -o " + library + " 2> " + folder_.file("log");
    const int code = std::system(command.c_str());
    INFO(text_of(folder_.file("log")));
    REQUIRE(code == 0);
    handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(handle_ != nullptr);
  }
  ~Built() { dlclose(handle_); }
  Built(const Built&) = delete;
  Built& operator=(const Built&) = delete;

  template <class F>
  F* find(const std::string& name) const {
    void* const found = dlsym(handle_, name.c_str());
    REQUIRE(found != nullptr);
    return reinterpret_cast<F*>(found);
  }

 private:
  ScratchFolder folder_;
  void* handle_ = nullptr;
};

// A module at the level of the target, as it was emitted.
struct Sample {
  std::unique_ptr<Module> loops;  // handles of its functions refer to it
  std::vector<codegen::ModelFunction> functions;
  EmittedModel emitted;
};

// What the first output that is wrong has wrong; empty: nothing. States are outputs, behind the results.
std::string difference_of(const Built& built, const Sample& sample, const codegen::ModelFunction& function,
                          const Draw& draw, const std::map<std::string, std::int64_t>& sizes, const Outputs& judged) {
  const Context& context = sample.loops->context();
  std::vector<std::int64_t> symbols;
  SymbolValues values;
  for (const codegen::ModelSymbol& symbol : function.symbols) {
    symbols.push_back(sizes.at(symbol.name));
    values.values.emplace_back(symbol.atom, symbols.back());
  }
  symbols.push_back(0);
  std::vector<std::int64_t> offsets(function.buffers.size() + 1);
  const std::string name = sample.emitted.name + "_" + std::string(function.host_function.symbol());
  using ArenaFunction = std::int64_t(const std::int64_t*, std::int64_t*);
  const std::int64_t bytes = built.find<ArenaFunction>(name + "_arena")(symbols.data(), offsets.data());
  std::vector<char> arena(static_cast<std::size_t>(bytes) + 64);
  char* const aligned = arena.data() + (64 - reinterpret_cast<std::uintptr_t>(arena.data()) % 64);
  std::vector<const void*> inputs, weights, states;
  for (const Tensor& input : draw.inputs) inputs.push_back(input.bytes().data());
  const codegen::ModelData data = codegen::model_data(*sample.loops);
  for (std::size_t i = 0; i < sample.emitted.weights.size(); ++i)
    (i < data.weights.size() ? weights : states).push_back(sample.emitted.weights[i].second.bytes().data());
  for (auto* list : {&inputs, &weights, &states}) list->push_back(nullptr);
  std::vector<Tensor> results;
  std::vector<void*> outputs;
  for (const codegen::ModelValue& output : function.outputs)
    results.push_back(Tensor::zeros(context.types().dtype(output.type), *shape_of(context, output.type, values)));
  for (Tensor& result : results) outputs.push_back(result.mutable_bytes().data());
  outputs.push_back(nullptr);
  mlgc_failure_of_c99 failure{};
  const mlgc_call_of_c99 call{inputs.data(),  outputs.data(), weights.data(), states.data(),
                              symbols.data(), aligned,        offsets.data(), &failure};
  if (built.find<std::int32_t(const mlgc_call_of_c99*)>(name)(&call) != 0) return failure.message;
  if (judged.results.size() + judged.updates.size() != results.size()) return "another number of outputs";
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Tensor& judge =
        i < judged.results.size() ? judged.results[i] : judged.updates[i - judged.results.size()].second;
    if (const Difference difference = agrees(results[i], judge); !difference.agrees)
      return render_text(difference, "output " + std::to_string(i));
  }
  return "";
}

// Nothing: the target refuses the sample, and `refusal` says why.
std::optional<Sample> prepare(const std::filesystem::path& path, const Draw& draw, std::string& refusal) {
  const std::shared_ptr<Context> context = make_context();
  auto loops = std::make_unique<Module>(lowered(test::parse(context, text_of(path))));
  EmitOptions options;
  options.target = &c99::kC99Target;
  Result<EmittedModel, Diagnostic> emitted = emit_model(*loops, draw.data, options);
  if (!emitted) {
    refusal = emitted.error().message();
    return std::nullopt;
  }
  auto functions = c99::kC99Target.describe(*loops);
  REQUIRE(functions.ok());
  return Sample{std::move(loops), *std::move(functions), *std::move(emitted)};
}

}  // namespace

TEST_CASE("the C99 target computes what the samples say, without a runtime") {
  std::size_t agree = 0;
  std::map<std::string, int> refusals;
  for (const auto& entry : std::filesystem::directory_iterator(MLGC_SAMPLES)) {
    if (entry.path().extension() != ".mlir") continue;
    INFO(entry.path().stem().string());
    Module module = test::parse(make_context(), text_of(entry.path()));
    for (const FuncRef& function : functions(module)) {
      if (is_loop_function(function.op())) continue;
      const auto draws = draw_inputs(function, {.non_finite = false});
      if (!draws) continue;
      for (const Draw& draw : *draws) {
        if (draw.kind != DrawKind::Plain) continue;
        std::string refusal;
        std::optional<Sample> sample = prepare(entry.path(), draw, refusal);
        if (!sample) {
          ++refusals[refusal];
          continue;
        }
        const auto judged = interpret(module, function.name(), draw.inputs, draw.data,
                                      {.precision = Precision::F64, .max_trips = 1000});
        if (!judged) continue;
        std::map<std::string, std::int64_t> sizes;
        for (const auto& [symbol, value] : draw.symbols.values)
          sizes[std::string(module.context().index().symbol_name(symbol))] = value;
        for (const codegen::ModelFunction& ours : sample->functions) {
          if (ours.host_function.symbol() != function.name()) continue;
          INFO(draw.text() << "\n" << sample->emitted.source.sources[0].text);
          CHECK(difference_of(Built(sample->emitted), *sample, ours, draw, sizes, *judged).empty());
          ++agree;
        }
      }
    }
  }
  for (const auto& [why, times] : refusals) UNSCOPED_INFO(times << " refused: " << why);
  CHECK(agree >= 70);
}

}  // namespace mlgc
