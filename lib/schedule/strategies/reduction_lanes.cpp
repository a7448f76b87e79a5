// reduction-lanes: an innermost loop that reduces elements of which some are contiguous; lanes are combined after it.
#include <algorithm>

#include "analysis/loop_access.h"
#include "ir/walk.h"
#include "loopir/nests.h"
#include "schedule/cpu_lanes.h"
#include "schedule/loop_edit.h"
#include "schedule/reduction_order.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct ReductionLanes {
  static std::int64_t lanes_of(const Site& site) {
    const std::int64_t most = site.along().work >= kBusyReductionWork ? kBusyReductionLanes : kReductionLanes;
    return lanes_without_rest(site.loop, kFewestRowReductionLanes, most);
  }
  // What split-reduction left.
  static bool is_tile(OpRef loop) {
    const ForRef around = ForRef::from(loop.parent_op());
    if (!around.valid() || around.kind() != LoopKind::Parallel) return false;
    const auto operands = loop.operands();
    return std::find(operands.begin(), operands.end(), around.index()) != operands.end();
  }
  static bool reassociates(OpRef loop) { return vectorizing_changes(loop) == NumericsClass::Reassociate; }
  // As windows of adaptive pools: how many differs, and is bounded.
  static bool has_few_terms(const Scheduler& scheduler, ForRef loop) {
    IndexPool& pool = loop.op().module().context().index();
    const IndexExpr count = pool.sub(over_values(loop.op(), loop.last()), over_values(loop.op(), loop.first()));
    if (is_size(pool, count)) return false;
    LoopAccess shown(loop.op().module().context(), scheduler.facts());
    shown.enter_around(loop.op());
    return shown.is_known(pool.sub(pool.constant(kFewestVaryingTerms - 1),
                                   shown.over_loops(loop.op(), pool.sub(loop.last(), loop.first()))));
  }
  static bool starts_as_number(ForRef loop) {
    for (std::size_t i = 0; i < loop.carried_count(); ++i) {
      const OpRef from = loop.initial(i).definer();
      if (!from.valid() || !from.is(LoopOp::Literal)) return false;
    }
    return true;
  }

  // The loop over short rows, each of which waits for its lanes to be combined: some of them go side by side.
  static OpRef short_rows_around(OpRef loop) {
    const OpRef rows = loop.parent_op();
    const ForRef of = ForRef::from(rows);
    if (!of.valid() || of.kind() != LoopKind::Parallel || holds_products(rows)) return {};
    if (extent(loop).value_or(kMostOfShortRow + 1) > kMostOfShortRow) return {};
    std::int64_t ops = 0;
    walk(rows, [&](OpRef) { ++ops; });
    return ops <= kOpsOfShortRow ? rows : OpRef();
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    const AlongLoop& along = site.along();
    const ForRef of = ForRef::from(site.loop);
    if (along.has_loops) return Match::other_kind<reason::kHasInnerLoops>();
    if (of.carried_count() == 0) return Match::other_kind<reason::kCarriesNothing>();
    const auto count = extent(site.loop);
    if (count && *count < kFewestReductionTerms) return Match::no<reason::kTooShort>();
    if (!count && has_few_terms(scheduler, of)) return Match::no<reason::kFewTermsPerRun>();
    if (count && *count < kFewestProductTerms && of.carried_count() == 1 && is_parallel_inside(site.loop) &&
        is_sum_of_products(of))
      return Match::no<reason::kFewTermsPerSum>();
    if (along.loads.next + along.stores.next == 0 && along.loads.apart() + along.stores.apart() > 0)
      return Match::no<reason::kAccessesNotContiguous>();
    if (reassociates(site.loop) && !scheduler.may_reassociate()) return Match::no<reason::kLanesReorderSum>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    std::string text = count_text(site.loop) + " terms are reduced, " + number_of(site.along().loads.next, "load") +
                       " of neighbours each; " + std::to_string(site.along().work) +
                       " operations a term ask for up to " + std::to_string(lanes_of(site)) + " lanes";
    if (short_rows_around(site.loop).valid())
      text += "; rows of at most " + std::to_string(kMostOfShortRow) + " terms, so " + std::to_string(kShortRows) +
              " of them are interleaved";
    return text;
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef around = site.loop.parent_op();
    const OpRef loop = site.loop, rows = short_rows_around(loop);
    const std::int64_t lanes = lanes_of(site);
    const bool is_sum = reassociates(loop);
    const bool is_long = usual_extent(ForRef::from(loop)).value_or(kLongSum + 1) > kLongSum;
    if (is_sum && (is_long || !starts_as_number(ForRef::from(loop))))
      narrow_long(scheduler, loop, is_tile(loop) ? kTileSumBlock : kSumBlock);
    if (!give_lanes_by(scheduler, loop, kFlatTile, lanes)) return Failure{scheduler.refused()};
    if (is_sum && !is_long) narrow_unless_short(scheduler, loop);
    if (rows.valid()) scheduler.jam_later(rows, kShortRows);
    return outermost_in(around, loop);
  }
};

}  // namespace

const StrategyDef kReductionLanesStrategy{
    .name = "reduction-lanes",
    .summary = "Lanes over the terms of a reduction, combined after the loop.",
    .stage = Stage::Lanes,
    .numerics = NumericsClass::Reassociate,
    .matches = ReductionLanes::matches,
    .why = ReductionLanes::why,
    .apply = ReductionLanes::apply,
};

}  // namespace mlgc::schedule
