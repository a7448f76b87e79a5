// See order_loops.h.
#include "schedule/order_loops.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_set>

#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/subscripts.h"
#include "schedule/along_loop.h"
#include "schedule/contraction.h"
#include "schedule/step_taker.h"

namespace mlgc::schedule {

namespace {

// The axis that the index stands in; nothing where it stands in none, or in several.
std::optional<std::size_t> axis_of(OpRef access, Value index) {
  const IndexPool& pool = access.module().context().index();
  const auto subscripts = subscripts_of(access);
  std::optional<std::size_t> out;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    bool found = false;
    pool.for_each_atom(subscripts[d], [&](AtomId id) {
      const Atom& atom = pool.atom(id);
      found = found || (atom.kind == AtomKind::Opaque && access.operand(atom.number) == index);
    });
    if (found && out) return std::nullopt;
    if (found) out = d;
  }
  return out;
}

bool reduces(OpRef loop) {
  return !walk(loop, [](OpRef op) {
    const ForRef of = ForRef::from(op);
    return of.valid() && of.carried_count() > 0 ? WalkResult::Stop : WalkResult::Continue;
  });
}

// Of the accesses in the inner loop that tell the two indices apart: how many more favour the interchange than
// not. What stands in a loop inside runs so much more often that nothing else counts beside it.
std::int64_t votes(OpRef outer, OpRef inner) {
  std::int64_t out = 0, within = 0;
  const Value first = ForRef::from(outer).index(), second = ForRef::from(inner).index();
  walk(inner, [&](OpRef op) {
    if (!AccessRef::from(op).valid()) return;
    const auto a = axis_of(op, first), b = axis_of(op, second);
    if (!a || !b || *a == *b) return;
    OpRef around = op.parent_op();
    while (!ForRef::from(around).valid()) around = around.parent_op();
    (around == inner ? out : within) += *a > *b ? 1 : -1;
  });
  return within != 0 ? within : out;
}

// The loops that stand alone in each other from this one on, and carry as many values.
std::vector<OpRef> chain_of(OpRef loop) {
  std::vector<OpRef> out{loop};
  const std::size_t carried = ForRef::from(loop).carried_count();
  const auto next = [&](OpRef at) {
    if (carried == 0) return only_loop_in(at);
    const OpRef inner = at.region(0).front();
    return ForRef::from(inner).valid() && inner.next().is(LoopOp::Yield) ? inner : OpRef();
  };
  for (OpRef at = next(loop); at.valid() && ForRef::from(at).carried_count() == carried; at = next(at))
    out.push_back(at);
  return out;
}

void order_chain(StepTaker& steps, const std::vector<OpRef>& chain) {
  // Votes may run in a circle: no more rounds than the chain has loops.
  for (std::size_t round = 0; round < chain.size(); ++round) {
    bool changed = false;
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      if (votes(chain[i], chain[i + 1]) <= 0) continue;
      const NumericsClass change = vectorizing_changes(chain[i]);
      if (!admits(steps.numerics(), change, true)) continue;
      changed = steps.take("interchange", chain[i], change, steps.counts().tiled, [&] {
        return interchange(chain[i], steps.facts());
      }) || changed;
    }
    if (!changed) return;
  }
}

void order_in(StepTaker& steps, OpRef loop) {
  const std::vector<OpRef> chain = chain_of(loop);
  if (ForRef::from(loop).carried_count() > 0 || reduces(chain.back())) order_chain(steps, chain);
  for (const OpRef inner : loops_in(chain.back().region(0))) order_in(steps, inner);
}

// Of a nest that only touches single elements, the loop along which a load reads neighbours goes next to the innermost
// one, along which stores write them: the two are a transpose then, whatever other axes are permuted.
void order_transpose(StepTaker& steps, OpRef nest) {
  const std::vector<OpRef> chain = chain_of(nest);
  if (chain.size() < 3 || ForRef::from(nest).carried_count() > 0) return;
  const AlongLoop inner{ForRef::from(chain.back())};
  if (inner.has_loops || inner.stores.next == 0 || inner.loads.strided == 0) return;
  const auto reads_neighbours = [](OpRef loop) { return AlongLoop{ForRef::from(loop)}.loads.next > 0; };
  const auto across = std::find_if(chain.rbegin() + 1, chain.rend(), reads_neighbours);
  if (across == chain.rend() || !fills_square({*across, chain.back()})) return;
  // The ops say by which rule the loops are interchanged.
  for (auto at = across; at != chain.rbegin() + 1; --at)
    if (!steps.take("interchange", *at, NumericsClass::Exact, steps.counts().tiled,
                    [&] { return interchange(*at, steps.facts()); }))
      return;
}

}  // namespace

void order_loops(StepTaker& steps, OpRef nest) {
  const std::vector<OpRef> sums = sums_in(nest);
  if (!reduces(nest)) return order_transpose(steps, nest);
  if (std::none_of(sums.begin(), sums.end(), shares_factors)) order_in(steps, nest);
}

}  // namespace mlgc::schedule
