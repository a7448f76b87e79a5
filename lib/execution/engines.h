// What can compute a function, one row each: the interpreter, PyTorch op by op, emitted C++, ONNX Runtime.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/compile_model.h"
#include "diag/diagnostic.h"
#include "execution/lower_and_emit.h"
#include "execution/vectors.h"
#include "interp/interpret_module.h"
#include "ir/function.h"
#include "ir/module.h"

namespace mlgc {

// A value that a run computed; one of a loop is there each time, in order.
using EngineValue = std::pair<ValueId, Tensor>;
enum class Seen : std::uint8_t { Results, All };

// What an engine is opened with; each takes what concerns it.
struct EngineSettings {
  LevelOptions level = {};   // of emitted C++, as the next
  VectorBytes vectors = {};  // native where none was given
  Externals externals = {};  // what computes the segments of an external target
  std::int32_t device = 0;   // of emitted CUDA: which GPU
};

// One call of a function. Nothing is owned; passes and runs leave module and data as they are.
struct EngineCall {
  Module& module;
  std::string_view function;
  std::span<const Tensor> inputs;  // as interpret() takes them
  const ModuleData& data;
};

// How engines that interpret run; others ignore it.
struct EngineRunOptions {
  Precision precision = Precision::Native;
  std::int64_t max_trips = InterpretOptions().max_trips;  // of one `while`
  // Adds what sees the run (InterpretOptions::observe, enter); may be empty.
  std::function<void(InterpretOptions&)> watch = {};
  // Counts the calls of operators that `torch.call` asks PyTorch for, by operator; may be null. Not owned.
  std::map<std::string, std::uint64_t>* torch_calls = nullptr;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Values of the function's own region, and of those in it where the engine sees them. With `All` an engine that sees
  // results alone runs a function that returns every value. Error: why there are none.
  [[nodiscard]] virtual Result<std::vector<EngineValue>, Diagnostic> run(const EngineCall& call, Seen seen) = 0;
  // Results and updates, as interpret() gives them. Nothing when an error was reported. Precondition: the engine's row
  // has `gives_updates`.
  [[nodiscard]] virtual std::optional<Outputs> evaluate(const EngineCall& call, const EngineRunOptions& options,
                                                        DiagnosticEngine& diagnostics) = 0;
  // What is to be said of all runs since it was opened, if anything: what another engine computed in its place.
  [[nodiscard]] virtual std::optional<Diagnostic> note() const { return std::nullopt; }
};

struct EngineDef {
  std::string_view name;
  std::string_view short_name;  // the name again where there is no shorter one
  std::string_view summary;
  bool sees_all = true;               // values, not results alone
  bool interprets = false;            // op by op: heeds EngineRunOptions
  bool gives_updates = true;          // of states and arguments: evaluate() may be asked
  const TargetDef* target = nullptr;  // of an engine that compiles: for what; null: it does not
  // Error: it cannot be used here.
  Result<std::unique_ptr<Engine>, Diagnostic> (*open)(const EngineSettings& settings) = nullptr;
};
// The interpreter, which the others are compared with, comes first.
[[nodiscard]] std::span<const EngineDef> engines();
// By either name. Error: kUnknownName, with what may have been meant.
[[nodiscard]] Result<const EngineDef*, Diagnostic> find_engine(std::string_view name);

// Makes the function return all of its own values, too; these, in order. For engines that see results alone.
std::vector<Value> return_all(FuncRef function);

// Values that the interpreter computes, in the order of running: the first 512 MiB of them. A loop that runs more than
// 2^20 times is an error.
[[nodiscard]] Result<std::vector<EngineValue>, Diagnostic> interpreted_values(const EngineCall& call,
                                                                              InterpretOptions options);

}  // namespace mlgc
