// Values that a kernel need not read: they stand in its text.
#pragma once

#include <optional>

#include "formula/formula.h"
#include "ir/module.h"

namespace mlgc {

// The result of a `constant` whose elements are equal, or of `dim`, as an expression of the result's dtype without
// index labels or reads. Nothing for every other op.
[[nodiscard]] std::optional<ExprId> known_value(OpRef op, FormulaPool& pool);

}  // namespace mlgc
