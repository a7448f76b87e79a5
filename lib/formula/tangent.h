// Forward-mode differentiation of ground formulas, statement by statement.
//
// The tangent of a statement writes where the statement writes: the same index labels, subscripts and guard. A read
// `x[idx]?v` becomes `t_x[idx]?0`, a call the sum of its operands' tangents times its partial derivatives, a selection
// a selection by the same condition, and nothing is solved. At ties and kinks both modes agree: the tangent is the
// transpose of the gradient. Rules: docs/formulas.md, "Gradients of formulas".
#pragma once

#include <span>
#include <vector>

#include "formula/formula.h"

namespace mlgc {

struct TangentOptions {
  // The caller has what the formula computed: its results become operands, and tangents read them from there.
  bool results_at_hand = false;
};

// The Jacobian-vector product of `formula`. Operands of the result: the operands of the formula, in order; with
// `results_at_hand` all results of the formula, in order and under their names; then one tangent `t_<name>` for each
// operand in `wanted`, in order. Operands that nothing reads stay in the list. Results: `t_<name>` for each of
// dependent_results(), in order; the tangents of the others are zero, and no tensor is made of them. Names that are
// taken get a number. Forward temporaries that tangents read are recomputed, and so are results unless they are at
// hand.
//
// Where several index tuples of a scatter `=` write the same element, it is unspecified which one is kept. The
// tangent's scatter writes in the order of the formula's: the same one is kept where both run in that order. (The
// gradient passes its cotangent to all of them.)
//
// Precondition: `wanted` are operands of float dtype.
[[nodiscard]] Formula tangent(FormulaPool& pool, const Formula& formula, std::span<const TensorId> wanted,
                              const TangentOptions& options = {});

// The float results of a formula that depend on one of `wanted` through differentiable reads, in order.
[[nodiscard]] std::vector<TensorId> dependent_results(FormulaPool& pool, const Formula& formula,
                                                      std::span<const TensorId> wanted);

}  // namespace mlgc
