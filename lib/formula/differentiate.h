// Reverse-mode differentiation of ground formulas, statement by statement.
//
// Walking a body with an adjoint and a context of index labels and guards, every read `x[idx]` emits a scatter
// `dx[idx] += adjoint`. Each scatter is then inverted to gather form by solving `idx(labels) = j` (invert.h), so that
// every element of a gradient is written once. What cannot be solved (a data-dependent, clamped or overlapping
// subscript) stays a scatter. Rules: docs/formulas.md, "Gradients of formulas".
#pragma once

#include <span>
#include <vector>

#include "formula/formula.h"

namespace mlgc {

// dx[subscripts] += body, for all index labels, where guard holds.
struct Push {
  TensorId target;
  std::vector<AtomId> labels;
  std::vector<IndexExpr> subscripts;
  ExprId body;
  ExprId guard;  // invalid: none
};

struct GradientOptions {
  bool invert = true;  // false: all contributions stay pushes, which is slower and serves as a check
  // The caller has what the formula computed: its results become operands, and adjoints read them from there.
  bool results_at_hand = false;
};

// The vector-Jacobian product of `formula`. Operands of the result: the operands of the formula, in order; with
// `results_at_hand` all results of the formula, in order and under their names; then one cotangent `g_<name>` for each
// float result, in order. Operands that nothing reads stay in the list. Results: `d_<name>` for each operand in
// `wanted`, which must be of float dtype. Forward temporaries that adjoints read are recomputed, and so are results
// unless they are at hand.
[[nodiscard]] Formula gradient(FormulaPool& pool, const Formula& formula, std::span<const TensorId> wanted,
                               const GradientOptions& options = {});

// The float operands of a formula that some float result depends on through differentiable reads.
[[nodiscard]] std::vector<TensorId> differentiable_operands(FormulaPool& pool, const Formula& formula);

}  // namespace mlgc
