// Where what an op computes is unspecified: two plain writes of a scatter to one element, of which one wins.
#pragma once

#include <span>

#include "formula/formula.h"
#include "interp/evaluate_formula.h"

namespace mlgc {

// Whether two writes of the formula collide, for these operands. A formula whose writes cannot collide, because their
// subscripts are index labels or because they add up, costs nothing.
[[nodiscard]] bool writes_collide(FormulaPool& pool, const Formula& formula, std::span<const Tensor> operands,
                                  const SymbolValues& sizes);

}  // namespace mlgc
