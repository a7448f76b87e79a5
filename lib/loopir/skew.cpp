#include "loopir/skew.h"

#include "loopir/subscripts.h"

namespace mlgc {

std::optional<IndexExpr> skew_of(ForRef loop) {
  const auto bounds = subscripts_of(loop.op());
  return bounds.size() < 3 ? std::nullopt : std::optional(bounds[2]);
}

std::optional<IndexExpr> skew_over_values(ForRef loop) {
  const auto skew = skew_of(loop);
  return skew ? std::optional(over_values(loop.op(), *skew)) : std::nullopt;
}

bool is_skew(const IndexPool& pool, IndexExpr e, std::int64_t per_lane) {
  if (const auto number = pool.as_constant(e)) return 0 <= *number && *number < per_lane;
  if (pool.term_count(e) != 1 || pool.term(e, 0).factors.size() != 1) return false;
  const Atom atom = pool.atom(pool.term(e, 0).factors[0]);
  const std::int64_t times = pool.term(e, 0).coefficient;
  const auto divisor = atom.kind == AtomKind::Mod ? pool.as_constant(atom.b) : std::nullopt;
  return divisor && 0 < *divisor && *divisor <= per_lane && 0 < times && times * (*divisor - 1) < per_lane;
}

}  // namespace mlgc
