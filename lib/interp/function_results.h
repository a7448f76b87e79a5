// Which function of a module is meant, and what its results are called.
#pragma once

#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "interp/interpret_module.h"
#include "ir/function.h"
#include "tensor/npz.h"

namespace mlgc {

// The function that --function names, or without it the only one, `forward` or `main`; an invalid view when an error
// was reported.
[[nodiscard]] FuncRef choose_function(const Module& module, const std::string& wanted, DiagnosticEngine& diagnostics);

// Results under their names (`result<i>` where one has no name of its own), then new states.
[[nodiscard]] NamedTensors name_outputs(const std::vector<std::string>& names, Outputs outputs);

}  // namespace mlgc
