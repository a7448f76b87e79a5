// What can compute a function, one row each: the interpreter, PyTorch op by op, emitted C++, ONNX Runtime.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "interp/interpret_module.h"
#include "ir/function.h"
#include "ir/module.h"

namespace mlgc {

// A value that a run computed; one of a loop is there each time, in order.
using EngineValue = std::pair<ValueId, Tensor>;
enum class Seen : std::uint8_t { Results, All };

class Engine {
 public:
  virtual ~Engine() = default;
  // Values of the function's own region, and of those in it where the engine sees them. With `All` an engine that sees
  // results alone runs a function that returns every value. Error: why there are none.
  [[nodiscard]] virtual Result<std::vector<EngineValue>, Diagnostic> run(Module& module, const std::string& function,
                                                                         std::span<const Tensor> inputs,
                                                                         const ModuleData& data, Seen seen) = 0;
};

struct EngineDef {
  std::string_view name, alias;  // the alias may be empty
  std::string_view summary;
  bool sees_all = true;  // values, not results alone
  Result<std::unique_ptr<Engine>, Diagnostic> (*open)() = nullptr;
};
[[nodiscard]] std::span<const EngineDef> engines();

// Makes the function return all of its own values, too; these, in order. For engines that see results alone.
std::vector<Value> return_all(FuncRef function);

// Values that the interpreter computes, in the order of running: the first 512 MiB of them. A loop that runs more than
// 2^20 times is an error.
[[nodiscard]] Result<std::vector<EngineValue>, Diagnostic> interpreted_values(Module& module,
                                                                              const std::string& function,
                                                                              std::span<const Tensor> inputs,
                                                                              const ModuleData& data,
                                                                              InterpretOptions options);

}  // namespace mlgc
