// See linear_coefficient.h.
#include "ir/linear_coefficient.h"

#include <algorithm>

namespace mlgc {

std::optional<std::int64_t> linear_coefficient(const IndexPool& pool, IndexExpr e, AtomId atom) {
  std::int64_t found = 0;
  for (std::size_t i = 0; i < pool.term_count(e); ++i) {
    const Term term = pool.term(e, i);
    if (term.factors.size() == 1 && term.factors[0] == atom) {
      found = term.coefficient;
      continue;
    }
    const bool elsewhere = std::any_of(term.factors.begin(), term.factors.end(), [&](AtomId factor) {
      const Atom& of = pool.atom(factor);
      if (factor == atom) return true;
      if (of.kind == AtomKind::IndexLabel || of.kind == AtomKind::Symbol || of.kind == AtomKind::Opaque) return false;
      return pool.mentions(of.a, atom) || pool.mentions(of.b, atom);
    });
    if (elsewhere) return std::nullopt;
  }
  return found;
}

}  // namespace mlgc
