// Reductions over all elements up to an index, which one pass over the elements computes for every index.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formula/formula.h"

namespace mlgc {

// A reduction that grows by one element from each index of the statement to the next, as in
// `y[j, q] = sum[k | k <= j](x[k, q])`: one loop over j can carry it.
struct RunningReduction {
  ExprId reduce;  // over one index label, in the statement's body whatever the values are
  AtomId along;   // the index label of the statement
};

// Those of a statement: none in one that is guarded, or writes elsewhere than at its index labels.
[[nodiscard]] std::vector<RunningReduction> running_reductions(FormulaPool& pool, const Statement& st);

// The same from an index to the end, `sum[k | k >= j](x[k, q])`: the label j, one of `labels`. Its terms are added in
// the order of k, so no pass carries it; in the opposite order it is a running one of what is reversed.
[[nodiscard]] std::optional<AtomId> runs_to_the_end(FormulaPool& pool, ExprId e, std::span<const AtomId> labels);

}  // namespace mlgc
