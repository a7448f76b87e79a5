// Composition of formulas (fusion/kernel_formula.h): appends statements of one formula to another, and substitutes
// bodies for reads. A fusion is a list of statements, never one expression at any price: unbounded
// substitution is exponential.
#pragma once

#include <functional>
#include <span>

#include "formula/formula.h"

namespace mlgc {

// What stands for a read of the formula that is added to: `parts` already speak of the formula that it is added to.
using ReadMaker = std::function<ExprId(ExprId read, const ReadParts& parts)>;

// Appends the statements of `from` to `into`, whose tensors `tensors` replace those of `from`. Index labels are
// renumbered; reads become what `read` makes of them, where it is given.
void append_statements(FormulaPool& pool, Formula& into, const Formula& from, std::span<const TensorId> tensors,
                       const ReadMaker& read = {});

// The body of a pulling statement of the formula in the place of a read of its result; outside of the result's shape
// the read's fill, where it has one.
[[nodiscard]] ExprId read_through(FormulaPool& pool, Formula& formula, const Statement& producer,
                                  const ReadParts& read);

// Whether an expression computes nothing: reads, literals, and choices between them by conditions on indices.
[[nodiscard]] bool moves_only(const FormulaPool& pool, ExprId e);

}  // namespace mlgc
