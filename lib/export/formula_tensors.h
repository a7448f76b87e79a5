// A formula as operations on tensors, for ops that a notation has no operator for: index labels become axes, reads
// gather, and reductions reduce axes.
//
// Values have an axis for each index label in scope, of extent 1 where they do not depend on it. What a guard excludes
// is computed too, with subscripts clamped, and then not selected. A contraction is a matrix product where the notation
// has one.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "export/tensor_ops.h"
#include "formula/formula.h"

namespace mlgc {

// The results, in the order of Formula::results(). `size` translates expressions over sizes into those of the notation.
// Throws NoForm; then some operations may be there already.
[[nodiscard]] std::vector<TensorValue> formula_tensors(TensorOps& ops, FormulaPool& pool, const Formula& formula,
                                                       std::span<const TensorValue> operands,
                                                       const std::function<IndexExpr(IndexExpr)>& size);

}  // namespace mlgc
