// See engines.h.
#include "execution/engines.h"

#include <algorithm>
#include <array>

#include "artifact/cuda_driver.h"
#include "aten/run_torch_call.h"
#include "aten/torch_backend.h"
#include "codegen/cpp/target.h"
#include "codegen/cuda/target.h"
#include "compile/run_emitted.h"
#include "diag/kinds_codegen.h"
#include "diag/kinds_driver.h"
#include "diag/kinds_text.h"
#include "diag/suggest.h"
#include "execution/onnx_engine.h"
#include "ops/torch_call.h"
#include "plugin/plugin.h"
#include "support/log.h"

namespace mlgc {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 29;

using Values = Result<std::vector<EngineValue>, Diagnostic>;

// Runs of interpret(), with options of its own.
class InterpretingEngine : public Engine {
 public:
  Values run(const EngineCall& call, Seen) override { return interpreted_values(call, own_options()); }

  std::optional<Outputs> evaluate(const EngineCall& call, const EngineRunOptions& how,
                                  DiagnosticEngine& diagnostics) override {
    InterpretOptions options = own_options();
    options.precision = how.precision;
    options.max_trips = how.max_trips;
    if (how.watch) how.watch(options);
    if (how.torch_calls != nullptr && options.torch_call) {
      options.torch_call = [&how, ask = std::move(options.torch_call)](const TorchCallRun& run) {
        ++(*how.torch_calls)[std::string(torch_target(run.op))];
        return ask(run);
      };
    }
    Result<Outputs, Diagnostic> outputs = interpret(call.module, call.function, call.inputs, call.data, options);
    if (outputs) {
      log_info("evaluated @" + std::string(call.function));
      return *std::move(outputs);
    }
    diagnostics.emit(std::move(outputs).error());
    return std::nullopt;
  }

 private:
  virtual InterpretOptions own_options() {
    InterpretOptions options;
    options.torch_call = torch_calls();
    return options;
  }
};

class TorchEngine : public InterpretingEngine {
 public:
  explicit TorchEngine(const TorchPlugin& plugin) : backend_(plugin) {}
  std::optional<Diagnostic> note() const override { return backend_.note(); }

 private:
  InterpretOptions own_options() override { return backend_.options(); }

  TorchBackend backend_;
};

// Lowered, emitted for a target and compiled for this machine, by way of the cache.
class CompiledEngine : public Engine {
 public:
  CompiledEngine(const EngineSettings& settings, const TargetDef& target) : settings_(settings), target_(target) {
    if (target.kind() != MachineKind::Cpu) driver_.emplace(settings.device);
  }

  Values run(const EngineCall& call, Seen seen) override {
    Module lowered = call.module;
    const FuncRef of = find_function(lowered, call.function);
    const std::vector<Value> values = seen == Seen::All ? return_all(of) : of.results();
    std::vector<ValueId> ids;
    for (const Value value : values) ids.push_back(value.id());
    DiagnosticEngine diagnostics(call.module.context().locations());
    auto outputs = compute(lowered, call, diagnostics);
    if (!outputs) {
      for (const Diagnostic& diagnostic : diagnostics.sorted())
        if (diagnostic.kind->severity == Severity::Error) return Failure{diagnostic};
      return Failure{diagnose<kCannotEmit>({}, std::string_view("(no reason)"))};
    }
    std::vector<EngineValue> out;
    for (std::size_t i = 0; i < outputs->results.size() && i < ids.size(); ++i)
      out.emplace_back(ids[i], std::move(outputs->results[i]));
    return out;
  }

  std::optional<Outputs> evaluate(const EngineCall& call, const EngineRunOptions&,
                                  DiagnosticEngine& diagnostics) override {
    Module lowered = call.module;
    std::optional<Outputs> outputs = compute(lowered, call, diagnostics);
    if (outputs) order_updates(find_function(call.module, call.function), *outputs);
    return outputs;
  }

 private:
  std::optional<Outputs> compute(Module& lowered, const EngineCall& call, DiagnosticEngine& diagnostics) {
    const bool on_cpu = target_.kind() == MachineKind::Cpu;
    if (on_cpu) state_vectors(settings_.vectors, lowered);
    LowerOptions lower;
    lower.emit.target = &target_;
    if (on_cpu) lower.level = settings_.level;
    if (!target_.arch.empty()) lower.emit.arch = "native";
    const std::optional<EmittedModel> emitted = lower_and_emit(lowered, call.data, lower, diagnostics);
    if (!emitted) return std::nullopt;
    CompileOptions options;
    if (on_cpu) options.vector_bytes = settings_.vectors.bytes();
    if (!on_cpu) options.device = settings_.device;
    options.externals = settings_.externals;
    Result<Outputs, Diagnostic> outputs = run_emitted(*emitted, options, call.function, call.inputs, diagnostics);
    if (outputs) return *std::move(outputs);
    diagnostics.emit(std::move(outputs).error());
    return std::nullopt;
  }

  EngineSettings settings_;
  const TargetDef& target_;
  std::optional<StartingCudaDriver> driver_;  // of GPUs
};

Result<std::unique_ptr<Engine>, Diagnostic> open_interpreter(const EngineSettings&) {
  return std::unique_ptr<Engine>(std::make_unique<InterpretingEngine>());
}
Result<std::unique_ptr<Engine>, Diagnostic> open_torch(const EngineSettings&) {
  const auto plugin = TorchPlugin::load();
  if (!plugin) return Failure{plugin.error()};
  return std::unique_ptr<Engine>(std::make_unique<TorchEngine>(**plugin));
}
Result<std::unique_ptr<Engine>, Diagnostic> open_compiled(const EngineSettings& settings) {
  return std::unique_ptr<Engine>(std::make_unique<CompiledEngine>(settings, kCppTarget));
}
Result<std::unique_ptr<Engine>, Diagnostic> open_cuda(const EngineSettings& settings) {
  return std::unique_ptr<Engine>(std::make_unique<CompiledEngine>(settings, kCudaTarget));
}

constexpr std::array kEngines{
    EngineDef{.name = "interp",
              .short_name = "interp",
              .summary = "the interpreter, op by op",
              .interprets = true,
              .open = open_interpreter},
    EngineDef{
        .name = "torch", .short_name = "torch", .summary = "PyTorch, op by op", .interprets = true, .open = open_torch},
    EngineDef{.name = "compiled",
              .short_name = "cpp",
              .summary = "emitted C++, whose kernels keep no values",
              .sees_all = false,
              .target = &kCppTarget,
              .open = open_compiled},
    EngineDef{.name = "cuda",
              .short_name = "cuda",
              .summary = "emitted CUDA, on a GPU, whose kernels keep no values",
              .sees_all = false,
              .target = &kCudaTarget,
              .open = open_cuda},
    EngineDef{.name = "onnxruntime",
              .short_name = "onnx",
              .summary = "ONNX Runtime, on what `mlgc export --to=onnx` writes",
              .sees_all = false,
              .gives_updates = false,
              .open = open_onnx_runtime},
};

}  // namespace

std::span<const EngineDef> engines() { return kEngines; }

Result<const EngineDef*, Diagnostic> find_engine(std::string_view name) {
  for (const EngineDef& def : kEngines)
    if (name == def.name || name == def.short_name) return &def;
  Diagnostic diagnostic = diagnose<kUnknownName>({}, "engine", name);
  std::vector<std::string_view> known;
  for (const EngineDef& def : kEngines) known.push_back(def.name);
  if (const auto best = closest_name(name, known)) diagnostic.add_note<kDidYouMean>({}, *best);
  return Failure{std::move(diagnostic)};
}

std::vector<Value> return_all(FuncRef function) {
  const TypePool& types = function.op().module().context().types();
  std::vector<Value> returned = function.results(), updates;
  const OpRef end = function.return_op();
  for (std::size_t i = returned.size(); i < end.operand_count(); ++i) updates.push_back(end.operand(i));
  for (const OpRef op : function.body().ops())
    for (const Value value : op.results())
      if (types.is_tensor(value.type()) && !op.has_trait(Traits::Constant)) returned.push_back(value);
  std::vector<Value> all = returned;
  all.insert(all.end(), updates.begin(), updates.end());
  end.set_operands(all);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < returned.size(); ++i) names.push_back("value" + std::to_string(i));
  set_result_names(function, names);
  return returned;
}

Values interpreted_values(const EngineCall& call, InterpretOptions options) {
  std::vector<EngineValue> out;
  std::size_t bytes = 0;
  options.max_trips = std::min(options.max_trips, kMadeUpTrips);
  options.observe = [&, inner = options.observe](OpRef op, std::span<const Tensor> results) {
    if (inner) inner(op, results);
    for (std::size_t i = 0; i < results.size() && bytes < kMostBytes; ++i) {
      bytes += results[i].byte_size() + sizeof(EngineValue);
      out.emplace_back(op.result(i).id(), results[i]);
    }
  };
  auto outputs = interpret(call.module, call.function, call.inputs, call.data, options);
  if (!outputs) return Failure{std::move(outputs).error()};
  return out;
}

}  // namespace mlgc
