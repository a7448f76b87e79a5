// See formula_work.h.
#include "ops/formula_work.h"

#include <algorithm>

namespace mlgc {

std::int64_t formula_work(FormulaPool& pool, const Formula& formula, std::int64_t limit,
                          const std::function<std::optional<std::int64_t>(IndexExpr)>& extent_of) {
  const auto extents = [&](std::span<const AtomId> letters, std::int64_t start) {
    std::int64_t product = start;
    for (const AtomId letter : letters) {
      const auto known = extent_of(pool.index().atom(letter).a);
      if (!known) return limit + 1;
      if (*known <= 0) return std::int64_t{0};
      if (product > limit / *known) return limit + 1;
      product *= *known;
    }
    return product;
  };
  std::int64_t sum = 0;
  for (const Statement& statement : formula.statements) {
    const std::int64_t outer = extents(statement.letters, 1);
    std::int64_t most = outer;
    pool.visit(statement.body, [&](ExprId e) {
      if (pool.node(e).kind == NodeKind::Reduce) most = std::max(most, extents(pool.reduce_of(e).letters, outer));
    });
    sum = std::min(limit + 1, sum + most);
  }
  return sum;
}

}  // namespace mlgc
