// The data of a module's weights and states, from its weight file or made up; and with it all that a call needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/value_ranges.h"
#include "diag/diagnostic.h"
#include "execution/bind_arguments.h"
#include "interp/interpret_module.h"
#include "ir/module.h"
#include "tensor/npz.h"

namespace mlgc {

struct DataOptions {
  std::string weights = {};                       // a file; empty: the one that the module names
  std::optional<std::uint64_t> random_seed = {};  // of made-up weights; then no file is read
  std::string states = {};                        // an .npz; empty: states start as the weights say, or made up
  std::string folder = {};                        // of the module's text: what it names is relative to it; empty: here
};

// A tensor for every state and every weight that is not derived, of the declared type. A file is a .safetensors, or an
// .npz. What is made up is draw_weight()'s (check/draw_inputs.h).
// In `ranges` stands what is asked of its elements.
// `tensors` are those that came with an imported module; a file or a seed in the options goes before them. A state that
// the .npz `states` has as `@name`, which is how new states are written, goes before all of them; the file must have
// one. A state that states its `initial` value starts with it where no file has it, also beside a seed. Nothing when an
// error was reported; every missing or unfit tensor is reported, at its declaration.
[[nodiscard]] std::optional<ModuleData> load_data(const Module& module, const DataOptions& options,
                                                  NamedTensors tensors, const FunctionRanges& ranges,
                                                  DiagnosticEngine& diagnostics);

// Values for the arguments of a function, and for the weights and states of its module.
struct BoundRun {
  std::vector<Tensor> inputs;
  ModuleData data;
};
// `weights` as the tensors of load_data(). Nothing when an error was reported, those of bind_arguments() first.
[[nodiscard]] std::optional<BoundRun> bind_run(const FuncRef& function, const ArgumentOptions& arguments,
                                               const DataOptions& data, NamedTensors weights,
                                               DiagnosticEngine& diagnostics);

}  // namespace mlgc
