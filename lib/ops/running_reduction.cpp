#include "ops/running_reduction.h"

#include <algorithm>

namespace mlgc {

std::vector<RunningReduction> running_reductions(FormulaPool& pool, const Statement& st) {
  IndexPool& index = pool.index();
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
    const ReduceParts parts = pool.reduce_of(e);
    // That of nothing is an error for arguments of extrema, and there is none behind this guard.
    if (parts.letters.size() != 1 || !parts.guard.valid() || parts.reduction == Reduction::ArgMax ||
        parts.reduction == Reduction::ArgMin)
      continue;
    const AtomId over = parts.letters[0];
    const std::vector<AtomId> free = pool.free_letters(parts.body);
    const auto grows_along = [&](AtomId along) {
      const IndexExpr rest = index.sub(index.from_atom(along), index.from_atom(over));
      return index.atom(along).a == index.atom(over).a && parts.guard == pool.non_negative(rest) &&
             std::find(free.begin(), free.end(), along) == free.end();
    };
    const auto along = std::find_if(st.letters.begin(), st.letters.end(), grows_along);
    if (along != st.letters.end()) found.push_back({e, *along});
  }
  return found;
}

}  // namespace mlgc
