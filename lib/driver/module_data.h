// The data of a module's weights and states, from its weight file or made up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "check/value_ranges.h"
#include "diag/diagnostic.h"
#include "interp/interpret_module.h"
#include "ir/module.h"
#include "tensor/npz.h"

namespace mlgc {

struct DataFlags {
  std::string weights;                       // empty: the file that the module names
  std::optional<std::uint64_t> random_seed;  // then no file is read
  std::string states;                        // empty: states start as the weights say, or made up
  std::string folder;                        // of the module's text: what it names is relative to it; empty: here
};

// A tensor for every state and every weight that is not derived, of the declared type. A file is a .safetensors, or an
// .npz. What is made up is draw_weight()'s (check/draw_inputs.h).
// In `ranges` stands what is asked of its elements.
// `tensors` are those that came with an imported module; a file or a seed in the flags goes before them. A state that
// the .npz `states` has as `@name`, which is how new states are written, goes before all of them; the file must have
// one. A state that states its `initial` value starts with it where no file has it, also beside a seed. Nothing when an
// error was reported; every missing or unfit tensor is reported, at its declaration.
[[nodiscard]] std::optional<ModuleData> load_data(const Module& module, const DataFlags& flags, NamedTensors tensors,
                                                  const FunctionRanges& ranges, DiagnosticEngine& diagnostics);

}  // namespace mlgc
