// What a gradient is the derivative of, where a formula holds `stop(e)`: e counts as a constant there.
#pragma once

#include <optional>

#include "formula/formula.h"

namespace mlgc {

// The formula with its operands twice: reads inside of `stop` see the second ones, all others the first ones. So it is
// a function of the first ones whose derivative is what formula/differentiate.h computes. Nothing when the formula has
// `stop`, which is then that function itself. For evaluation only: statements share index labels.
[[nodiscard]] std::optional<Formula> hold_stops(FormulaPool& pool, const Formula& formula);

}  // namespace mlgc
