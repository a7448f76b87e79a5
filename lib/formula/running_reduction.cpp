#include "formula/running_reduction.h"

#include <algorithm>

namespace mlgc {

namespace {

// The index label at which a reduction ends, or begins, and on which its body does not depend.
std::optional<AtomId> along_which(FormulaPool& pool, ExprId reduce, std::span<const AtomId> labels, bool to_the_end) {
  IndexPool& index = pool.index();
  const ReduceParts parts = pool.reduce_of(reduce);
  // The extremum of no elements is an error for its arguments, and this guard does not prevent it.
  if (parts.labels.size() != 1 || !parts.guard.valid() || parts.reduction == Reduction::ArgMax ||
      parts.reduction == Reduction::ArgMin)
    return std::nullopt;
  const AtomId over = parts.labels[0];
  const std::vector<AtomId> free = pool.free_labels(parts.body);
  const auto grows_along = [&](AtomId along) {
    const IndexExpr here = index.from_atom(along), there = index.from_atom(over);
    return index.atom(along).a == index.atom(over).a &&
           parts.guard == pool.non_negative(to_the_end ? index.sub(there, here) : index.sub(here, there)) &&
           std::find(free.begin(), free.end(), along) == free.end();
  };
  const auto along = std::find_if(labels.begin(), labels.end(), grows_along);
  return along == labels.end() ? std::nullopt : std::optional(*along);
}

}  // namespace

std::vector<RunningReduction> running_reductions(FormulaPool& pool, const Statement& st) {
  std::vector<RunningReduction> found;
  if (!st.pull || st.guard.valid() || st.base.valid()) return found;
  std::vector<ExprId> open{st.body};
  while (!open.empty()) {
    const ExprId e = open.back();
    open.pop_back();
    const NodeKind kind = pool.node(e).kind;
    const bool lazy = kind == NodeKind::Call && (pool.fn(e) == ScalarFn::And || pool.fn(e) == ScalarFn::Or);
    if (!lazy && (kind == NodeKind::Call || kind == NodeKind::Cast || kind == NodeKind::Stop)) {
      const std::vector<ExprId> args = pool.arguments(e);
      open.insert(open.end(), args.begin(), args.end());
    }
    if (kind != NodeKind::Reduce) continue;
    if (const auto along = along_which(pool, e, st.labels, false)) found.push_back({e, *along});
  }
  return found;
}

std::optional<AtomId> runs_to_the_end(FormulaPool& pool, ExprId e, std::span<const AtomId> labels) {
  if (pool.node(e).kind != NodeKind::Reduce) return std::nullopt;
  return along_which(pool, e, labels, true);
}

}  // namespace mlgc
