// A function that computes a loss in front of another one's results.
//
// Guarantees
//   - The new function has the arguments of the old one and behind them `target`; its results are `loss`, a scalar, and
//     those of the old one, which accuracy is computed from. What the old one updates, the new one updates.
//   - cross_entropy is that of row `cross_entropy`, the mean over samples: the target holds classes (i64) and has the
//     sizes of the result without the axis of its classes, which is axis 1, or its only one.
//   - mse is row `mse_loss`, the mean over elements: the target is a tensor like the result.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "ir/function.h"

namespace mlgc {

enum class Loss : std::uint8_t { CrossEntropy, Mse };
[[nodiscard]] std::optional<Loss> find_loss(std::string_view name);
// `cross_entropy, mse`, for messages.
[[nodiscard]] std::string loss_names();

struct LossRequest {
  Loss loss = Loss::CrossEntropy;
  std::string of;    // a result by name, or `result<i>`; empty: the only float result
  std::string name;  // of the new function; empty: `<function>_loss`
};

// Adds the function to the module, which must verify. An invalid view when an error was reported.
[[nodiscard]] FuncRef attach_loss(Module& module, FuncRef function, const LossRequest& request,
                                  DiagnosticEngine& diagnostics);

}  // namespace mlgc
