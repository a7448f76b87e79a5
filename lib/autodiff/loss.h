// A function that computes a loss in front of another one's results.
//
// Guarantees
//   - A loss is a row of the op table that compares `x` with `target` and has a `reduction`, whose fallback is taken:
//     there is no list of losses beside the table. It goes by the row's name, which may leave `_loss` out (`mse`).
//   - The new function has the arguments of the old one and then `target`; its results are `loss`, a scalar, and
//     those of the old one, which accuracy is computed from. What the old one updates, the new one updates.
//   - What the target is follows from the row: a tensor like the result; or, where the row takes integers for it, the
//     classes (i64) in the sizes of the result without the axis of its classes, which is axis 1, or its only one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/function.h"
#include "ir/op_def.h"
#include "support/result.h"

namespace mlgc {

// The short names of all losses, in alphabetical order.
[[nodiscard]] std::vector<std::string_view> known_losses();
// The row of a loss. Error: there is none of that name; the diagnostic lists those that there are.
[[nodiscard]] Result<const OpDef*, Diagnostic> find_loss(std::string_view name);

struct LossRequest {
  const OpDef* loss = nullptr;  // of find_loss()
  std::string of;               // a result by name, or `result<i>`; empty: the only float result
  std::string name;             // of the new function; empty: `<function>_loss`
};

// Adds the function to the module, which must verify. An invalid view when an error was reported.
[[nodiscard]] FuncRef attach_loss(Module& module, FuncRef function, const LossRequest& request,
                                  DiagnosticEngine& diagnostics);

}  // namespace mlgc
