// See input_flags.h.
#include "driver/input_flags.h"

#include <utility>

#include "diag/kinds_driver.h"
#include "driver/dim_flag.h"
#include "driver/model_flags.h"

namespace mlgc {

void add_input_flags(Arguments& arguments, InputFlags& flags) {
  add_function_flag(arguments, flags.function);
  arguments.add_list("--input", flags.arguments.inputs, "[NAME=][SHAPE][=VALUE]",
                     "A value for an argument, or @file.npz for all, as mlgc eval takes them; repeatable");
  arguments.add_value("--random-inputs", flags.arguments.random_seed, "SEED",
                      "Random values for arguments without --input");
  arguments.add_list("--dim", flags.dims, "NAME=SIZE", "The size of a symbol, for values that are made up; repeatable");
  arguments.add_value("--states", flags.states, "@FILE.npz", "States to start from: what --output wrote of a call");
}

std::optional<Diagnostic> read_input_flags(InputFlags& flags, std::string_view command) {
  if (auto wrong = read_dim_flags(flags.dims, command, flags.arguments.dims)) return wrong;
  if (flags.states.empty()) return std::nullopt;
  if (!flags.states.starts_with('@'))
    return diagnose<kBadFlag>({}, "--states: write @ before the name of the file", command);
  flags.states.erase(0, 1);
  return std::nullopt;
}

std::optional<BoundRun> bind_run(const FuncRef& function, const InputFlags& flags, DataOptions data,
                                 NamedTensors weights, DiagnosticEngine& diagnostics) {
  data.states = flags.states;
  return bind_run(function, flags.arguments, data, std::move(weights), diagnostics);
}

}  // namespace mlgc
