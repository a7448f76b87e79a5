// A function that changes weights so that another one's result becomes less: its gradients (grad_function.h), and what
// an optimiser makes of them (optimiser.h), as new states.
//
// Guarantees
//   - The new function has the arguments of the old one, and then `lr` (f64, a scalar) when the settings have no
//     learning rate. Its results are those of the old one. It updates what the old one updates, then what is trained,
//     then what the optimiser keeps.
//   - What is trained is a `state` afterwards, in the place of the weight, for all functions of the module.
//   - What the optimiser keeps are states `@<weight>.<slot>` after the weight, and one counter `@<optimiser>.step`
//     (i64) of optimisers that count. They start at 0, which the states say themselves (`initial`): no file has to have
//     them.
//   - The old function is left alone. When an error is reported, the module is as before.
#pragma once

#include <string>
#include <vector>

#include "autodiff/optimiser.h"
#include "diag/diagnostic.h"
#include "ir/function.h"

namespace mlgc {

struct StepRequest {
  OptimiserSettings settings;
  std::string of;                // the result to make less, by name or `result<i>`; empty: the only float one
  std::vector<std::string> wrt;  // weights and states as `@name`; empty: all float weights that the function reads
  std::string name = "step";     // of the new function; with a number appended when it is taken
};

// Adds the function to the module. An invalid view when an error was reported. Preconditions: those of
// add_grad_function().
[[nodiscard]] FuncRef add_training_step(Module& module, FuncRef function, const StepRequest& request,
                                        DiagnosticEngine& diagnostics);

}  // namespace mlgc
