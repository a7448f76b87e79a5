// The flags that say on what a function is run, and the way from them to tensors: for commands that run a model to say
// something about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/arguments.h"
#include "driver/load.h"
#include "execution/bind_arguments.h"
#include "execution/module_data.h"

namespace mlgc {

// What messages say of texts that flags gave.
[[nodiscard]] inline ArgumentOptions flag_arguments() { return {.before_input = "--input=", .before_dim = "--dim="}; }

struct InputFlags {
  std::string function;
  std::vector<std::string> dims;
  ArgumentOptions arguments = flag_arguments();
  std::string states;
  // Inputs were given, or are to be made up.
  [[nodiscard]] bool given() const { return arguments.given(); }
};

// --function, --input, --random-inputs, --dim, --states.
void add_input_flags(Arguments& arguments, InputFlags& flags);
// Reads what parse() leaves as text. What is wrong, if anything.
[[nodiscard]] std::optional<Diagnostic> read_input_flags(InputFlags& flags, std::string_view command);

// bind_run() with what the flags say: `data` says where weights and states come from.
[[nodiscard]] std::optional<BoundRun> bind_run(const FuncRef& function, const InputFlags& flags, DataOptions data,
                                               NamedTensors weights, DiagnosticEngine& diagnostics);

}  // namespace mlgc
