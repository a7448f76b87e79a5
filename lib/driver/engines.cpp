// See engines.h.
#include "driver/engines.h"

#include <algorithm>
#include <array>

#include "aten/run_torch_call.h"
#include "aten/torch_backend.h"
#include "compile/run_emitted.h"
#include "diag/kinds_codegen.h"
#include "driver/emit_flags.h"
#include "driver/onnx_engine.h"
#include "driver/vector_bytes_flag.h"
#include "ir/function.h"
#include "plugin/plugin.h"

namespace mlgc {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 29;

using Values = Result<std::vector<EngineValue>, Diagnostic>;

class InterpretingEngine : public Engine {
 public:
  Values run(Module& module, const std::string& function, std::span<const Tensor> inputs, const ModuleData& data,
             Seen) override {
    InterpretOptions options;
    options.torch_call = torch_calls();
    return interpreted_values(module, function, inputs, data, std::move(options));
  }
};

class TorchEngine : public Engine {
 public:
  explicit TorchEngine(const TorchPlugin& plugin) : backend_(plugin) {}
  Values run(Module& module, const std::string& function, std::span<const Tensor> inputs, const ModuleData& data,
             Seen) override {
    return interpreted_values(module, function, inputs, data, backend_.options());
  }

 private:
  TorchBackend backend_;
};

}  // namespace

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

namespace {

class CompiledEngine : public Engine {
 public:
  Values run(Module& module, const std::string& function, std::span<const Tensor> inputs, const ModuleData& data,
             Seen seen) override {
    Module lowered = module;
    const FuncRef of = find_function(lowered, function);
    const std::vector<Value> values = seen == Seen::All ? return_all(of) : of.results();
    std::vector<ValueId> ids;
    for (const Value value : values) ids.push_back(value.id());
    const VectorBytesFlag vectors;
    state_vectors(vectors, lowered);
    DiagnosticEngine diagnostics(module.context().locations());
    const auto failed = [&](const DiagnosticEngine& from) -> Values {
      for (const Diagnostic& diagnostic : from.sorted())
        if (diagnostic.kind->severity == Severity::Error) return Failure{diagnostic};
      return Failure{diagnose<kCannotEmit>({}, std::string_view("(no reason)"))};
    };
    const std::optional<EmittedModel> emitted = lower_and_emit(lowered, data, {}, diagnostics);
    if (!emitted) return failed(diagnostics);
    CompileOptions options;
    options.vector_bytes = vectors.bytes();
    auto outputs = run_emitted(*emitted, options, function, inputs, diagnostics);
    if (!outputs) return Failure{std::move(outputs).error()};
    std::vector<EngineValue> out;
    for (std::size_t i = 0; i < outputs->results.size() && i < ids.size(); ++i)
      out.emplace_back(ids[i], std::move(outputs->results[i]));
    return out;
  }
};

Result<std::unique_ptr<Engine>, Diagnostic> open_interpreter() {
  return std::unique_ptr<Engine>(std::make_unique<InterpretingEngine>());
}
Result<std::unique_ptr<Engine>, Diagnostic> open_torch() {
  const auto plugin = TorchPlugin::load();
  if (!plugin) return Failure{plugin.error()};
  return std::unique_ptr<Engine>(std::make_unique<TorchEngine>(**plugin));
}
Result<std::unique_ptr<Engine>, Diagnostic> open_compiled() {
  return std::unique_ptr<Engine>(std::make_unique<CompiledEngine>());
}

constexpr std::array kEngines{
    EngineDef{"interp", "", "the interpreter, op by op", true, open_interpreter},
    EngineDef{"torch", "", "PyTorch, op by op", true, open_torch},
    EngineDef{"compiled", "cpp", "emitted C++, whose kernels keep no values", false, open_compiled},
    EngineDef{"onnxruntime", "onnx", "ONNX Runtime, on what `mlgc export --to=onnx` writes", false, open_onnx_runtime},
};

}  // namespace

std::span<const EngineDef> engines() { return kEngines; }

Result<std::vector<EngineValue>, Diagnostic> interpreted_values(Module& module, const std::string& function,
                                                                std::span<const Tensor> inputs, const ModuleData& data,
                                                                InterpretOptions options) {
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
  auto outputs = interpret(module, function, inputs, data, options);
  if (!outputs) return Failure{std::move(outputs).error()};
  return out;
}

}  // namespace mlgc
