// Solving the subscripts of a push for its letters, so that it becomes a pull.
#pragma once

#include <optional>
#include <span>

#include "formula/differentiate.h"

namespace mlgc {

// The value that `push` adds to the element `output` (one letter per dim of the target): a sum over the letters that no
// subscript determines, guarded by what the subscripts demand. Letters of the result are fresh in `into`. Nothing when
// a subscript cannot be solved.
[[nodiscard]] std::optional<ExprId> invert(FormulaPool& pool, Formula& into, const Push& push,
                                           std::span<const AtomId> output);

}  // namespace mlgc
