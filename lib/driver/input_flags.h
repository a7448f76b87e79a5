// The flags that say on what a function is run, and the way from them to tensors: for commands that run a model to say
// something about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/arguments.h"
#include "driver/bind_arguments.h"
#include "driver/load.h"
#include "driver/module_data.h"

namespace mlgc {

struct InputFlags {
  std::string function;
  std::vector<std::string> dims;
  ArgumentFlags arguments;
  std::string states;
  // Inputs were given, or are to be made up.
  [[nodiscard]] bool given() const { return !arguments.inputs.empty() || arguments.random_seed; }
};

// --function, --input, --random-inputs, --dim, --states.
void add_input_flags(Arguments& arguments, InputFlags& flags);
// Reads what parse() leaves as text. What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_input_flags(InputFlags& flags, std::string_view command);

struct BoundRun {
  std::vector<Tensor> inputs;
  ModuleData data;
};
// Values for the arguments of a function, and for the weights and states of its module; `data` says where these come
// from. Nothing when an error was reported.
[[nodiscard]] std::optional<BoundRun> bind_run(const FuncRef& function, const InputFlags& flags, DataFlags data,
                                               NamedTensors weights, DiagnosticEngine& diagnostics);

}  // namespace mlgc
