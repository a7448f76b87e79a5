// A function that computes gradients beside another one's results.
//
// Guarantees
//   - The new function has the arguments of the old one, then one cotangent `g_<name>` for each result that is
//     differentiated, if they were asked for; without them a result must be a scalar, and its cotangent is 1. Its
//     results are those of the old one, then one gradient `d_<name>` for each value that was asked for, in that order.
//     What the old one updates, the new one updates.
//   - The old function is left alone.
//   - Every op without a gradient on the way is reported, not the first one only.
#pragma once

#include "autodiff/request.h"

namespace mlgc {

// Adds the function to the module; without `of` the only float result is differentiated. An invalid view when an error
// was reported. Precondition: the module verifies; segments, fusions, and calls of functions that state no gradient
// have none inside of the function (the pass `inline` replaces them). Warnings: a value whose gradient is zero because
// nothing differentiable leads from it to the results, with the places where the way ends.
[[nodiscard]] FuncRef add_grad_function(Module& module, FuncRef function, const GradRequest& request,
                                        DiagnosticEngine& diagnostics);

}  // namespace mlgc
