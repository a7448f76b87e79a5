// dot-product-groups: a sum over the terms of groups, in loops that a divided index left, as of a weight with a scale
// for each group. The lanes are terms of a group; what is read once for each group is the same for all of them.
//
//     for g { for j { s += x[g, j]*w[g, j]*scale[g] } }   becomes   for j, in lanes { for g { s += … } }
//
// so that partial sums stay in registers until the end of the row.
#include <algorithm>
#include <vector>

#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/cpu_limits.h"
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct DotProductGroups {
  // The loops that carry the sum, from the outside.
  static std::vector<OpRef> chain_of(OpRef sum) {
    std::vector<OpRef> chain;
    for (OpRef loop = sum; loop.valid(); loop = only_loop_in(loop)) chain.push_back(loop);
    return chain;
  }
  // As many terms of a group as are added side by side; 0: they fill no lanes.
  static std::int64_t lanes_of(OpRef terms) {
    const std::int64_t count = extent(terms).value_or(0);
    std::int64_t lanes = kMostGroupLanes;
    while (lanes >= kDotProductLanes && count % lanes != 0) lanes /= 2;
    return count > 0 && lanes >= kDotProductLanes ? lanes : 0;
  }
  // Loops whose iterations share what the sum reads, from the inside.
  static std::vector<OpRef> sharing(OpRef sum) {
    std::vector<OpRef> around = loops_around(sum);
    std::erase_if(around, [&](OpRef loop) { return !shares(loop, sum, sum); });
    return around;
  }

  static bool carries(OpRef loop) { return ForRef::from(loop).valid() && ForRef::from(loop).carried_count() > 0; }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> chain = chain_of(site.loop);
    if (chain.size() < 2) return Match::other_kind<reason::kNoInnerLoop>();
    if (!scheduler.may_reassociate()) return Match::no<reason::kLanesReorderSum>();
    if (!goes_along(chain.back()) || lanes_of(chain.back()) == 0)
      return Match::no<reason::kTermsNotContiguousOrFew>(kDotProductLanes);
    for (const OpRef loop : loops_around(site.loop))
      if (ForRef::from(loop).kind() == LoopKind::Vector) return Match::no<reason::kOuterLanes>();
    if (sharing(site.loop).empty()) return Match::no<reason::kNoSharingLoop>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const OpRef terms = chain_of(site.loop).back();
    return count_text(terms) + " terms of a group are contiguous, and " + std::to_string(lanes_of(terms)) +
           " of them have the lanes; " + iterations_text(sharing(site.loop).front()) + " share what they read";
  }

  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    std::vector<OpRef> chain = chain_of(site.loop);
    const OpRef terms = chain.back();
    const std::int64_t lanes = lanes_of(terms);
    if (extent(terms) != lanes && !scheduler.tile_by(terms, lanes)) return Failure{scheduler.refused()};
    // Outwards, until it is the first loop of the sum: interchange() leaves it in the place of the other one.
    OpRef first = terms;
    for (OpRef around = first.parent_op(); carries(around); around = first.parent_op()) {
      if (!scheduler.take("interchange", around, NumericsClass::Reassociate, scheduler.counts().tiled,
                          [&] { return interchange(around, scheduler.facts()); }))
        return Failure{scheduler.refused()};
      first = around;
    }
    // The few parts of a group, as the halves of packed numbers, are written out: they read the same bytes.
    for (OpRef part = only_loop_in(first); part.valid();) {
      const OpRef next = only_loop_in(part);
      const std::int64_t count = extent(part).value_or(kMostGroupParts + 1);
      if (count <= kMostGroupParts && part.parent_op() != first)
        (void)scheduler.take("unroll", part, NumericsClass::Exact, scheduler.counts().unrolled,
                             [&] { return unroll(part, 0, scheduler.facts()); });
      part = next;
    }
    // Each lane has a sum of its own in f32, which is added to the lane's at the end.
    const OpRef groups = only_loop_in(first);
    if (!scheduler.take("narrow", groups, NumericsClass::Reassociate, scheduler.counts().narrowed,
                        [&] { return narrow_blocks(groups, extent(groups).value_or(1), scheduler.facts()); }))
      return Failure{scheduler.refused()};
    scheduler.narrow_sums(first);
    if (!scheduler.vectorize_in(first, lanes, NumericsClass::Reassociate)) return Failure{scheduler.refused()};
    // As many rows as hide the latency of an addition. Each is a stream of memory of its own, so no more.
    const std::vector<OpRef> around = sharing(first);
    scheduler.jam_later(around.front(), std::max(kMostGroupLanes / lanes, kFewestGroupRows));
    return first;
  }
};

}  // namespace

const StrategyDef kDotProductGroupsStrategy{
    .name = "dot-product-groups",
    .summary = "Lanes over the terms of a group, with the groups inside of them; what a group has one of is read once.",
    .stage = Stage::Products,
    .numerics = NumericsClass::Reassociate,
    .matches = DotProductGroups::matches,
    .why = DotProductGroups::why,
    .apply = DotProductGroups::apply,
};

}  // namespace mlgc::schedule
