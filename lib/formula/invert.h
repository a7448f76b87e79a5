// Solving the subscripts of a scatter form for its index labels, so that it becomes a gather form.
#pragma once

#include <optional>
#include <span>

#include "formula/differentiate.h"

namespace mlgc {

// The value that `push` adds to the element `output` (one index label per dim of the target): a sum over the labels
// that no subscript determines, guarded by the conditions of the subscripts. Labels of the result are fresh in `into`.
// Nothing when a subscript cannot be solved.
[[nodiscard]] std::optional<ExprId> invert(FormulaPool& pool, Formula& into, const Push& push,
                                           std::span<const AtomId> output);

}  // namespace mlgc
