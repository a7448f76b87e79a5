// A function that computes derivatives along a direction beside another one's results: forward mode.
//
// Guarantees
//   - The new function has the arguments of the old one, then a tangent `t_<name>` for each value of `wrt`; its results
//     are those of the old one, then `t_<name>` for each result of `of`, or each float one. What the old one updates,
//     the new one updates.
//   - The old function is left alone; every op without a derivative on the way is reported.
#pragma once

#include "autodiff/request.h"

namespace mlgc {

// Adds the function to the module. An invalid view when an error was reported. Preconditions as for
// add_grad_function().
[[nodiscard]] FuncRef add_jvp_function(Module& module, FuncRef function, const GradRequest& request,
                                       DiagnosticEngine& diagnostics);

}  // namespace mlgc
