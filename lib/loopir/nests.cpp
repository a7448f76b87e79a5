// Extents and nests of loops.
#include "loopir/nests.h"

namespace mlgc {

std::vector<OpRef> parallel_chain(OpRef nest) {
  std::vector<OpRef> chain;
  for (OpRef at = nest; ForRef::from(at).valid() && ForRef::from(at).kind() == LoopKind::Parallel;) {
    chain.push_back(at);
    const OpRef inner = at.region(0).empty() ? OpRef() : at.region(0).front();
    const OpRef next = ForRef::from(inner).valid() ? inner.next() : OpRef();
    if (!ForRef::from(inner).valid() || (next.valid() && !next.is(LoopOp::Yield))) break;
    at = inner;
  }
  return chain;
}

std::optional<std::int64_t> usual_extent(ForRef loop) {
  IndexPool& pool = loop.op().module().context().index();
  if (const auto exact = pool.as_constant(pool.sub(loop.last(), loop.first()))) return exact;
  const auto id = pool.as_atom(loop.last());
  if (!id || pool.atom(*id).kind != AtomKind::Min) return std::nullopt;
  const Atom atom = pool.atom(*id);
  for (const IndexExpr side : {atom.a, atom.b})
    if (const auto full = pool.as_constant(pool.sub(side, loop.first()))) return full;
  return std::nullopt;
}

}  // namespace mlgc
