// See window_axis.h.
#include "schedule/window_axis.h"

#include "loopir/subscripts.h"
#include "schedule/loop_edit.h"

namespace mlgc::schedule {

std::optional<std::int64_t> coefficient_of(const IndexPool& pool, IndexExpr e, Value of) {
  const auto is_it = [&](AtomId id) {
    return pool.atom(id).kind == AtomKind::Opaque && pool.atom(id).number == of.id().value;
  };
  std::int64_t out = 0;
  for (std::size_t i = 0; i < pool.term_count(e); ++i) {
    const Term term = pool.term(e, i);
    for (const AtomId factor : term.factors) {
      if (is_it(factor)) {
        if (term.factors.size() > 1) return std::nullopt;
        out += term.coefficient;
        continue;
      }
      const Atom& atom = pool.atom(factor);
      if (atom.kind == AtomKind::Letter || atom.kind == AtomKind::Symbol || atom.kind == AtomKind::Opaque) continue;
      bool inside = false;
      for (const IndexExpr side : {atom.a, atom.b})
        pool.for_each_atom(side, [&](AtomId id) { inside = inside || is_it(id); });
      if (inside) return std::nullopt;
    }
  }
  return out;
}

std::optional<std::vector<WindowAxis>> window_axes(OpRef load, std::span<const ForRef> loops) {
  const IndexPool& pool = load.module().context().index();
  std::vector<WindowAxis> out;
  std::vector<std::size_t> seen(loops.size(), 0);
  const auto subscripts = subscripts_of(load);
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    WindowAxis axis{d, {}};
    const IndexExpr e = over_values(load, subscripts[d]);
    std::int64_t finest = 0;
    for (std::size_t l = 0; l < loops.size(); ++l) {
      const auto times = coefficient_of(pool, e, loops[l].index());
      if (!times || *times < 0 || (*times > 0 && seen[l]++ > 0)) return std::nullopt;
      if (*times == 0) continue;
      axis.parts.push_back({loops[l], *times});
      finest = finest == 0 ? *times : std::min(finest, *times);
    }
    for (WindowAxis::Part& part : axis.parts) {
      if (part.times % finest != 0) return std::nullopt;
      part.times /= finest;
    }
    if (!axis.parts.empty()) out.push_back(std::move(axis));
  }
  return out;
}

}  // namespace mlgc::schedule
