// How much there is to do in a formula: what bounds folding and the numeric checker's runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "formula/formula.h"

namespace mlgc {

// About how many sums take as long as computing the expression once; a reduction counts as one step of it.
[[nodiscard]] std::int64_t expression_cost(const FormulaPool& pool, ExprId e);

// Arithmetic operations of the statements, over sizes: scalar functions on floats, and one for each step of a
// reduction. What an expression names twice counts once.
[[nodiscard]] IndexExpr formula_operations(FormulaPool& pool, const Formula& formula);

// Index tuples that the statements run through, reductions included. Beyond `limit`, or where an extent has no value,
// it is limit + 1 and no more.
[[nodiscard]] std::int64_t formula_work(FormulaPool& pool, const Formula& formula, std::int64_t limit,
                                        const std::function<std::optional<std::int64_t>(IndexExpr)>& extent_of);

}  // namespace mlgc
