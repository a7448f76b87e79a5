// extremum-then-position: the argument of an extremum along contiguous elements: lanes over the values, and
// then over the positions of what equals the best one.
#include "schedule/contraction.h"
#include "schedule/cpu_lanes.h"
#include "schedule/loop_edit.h"
#include "schedule/reduction_order.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct ExtremumThenPosition {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    const AlongLoop& along = site.along();
    const ForRef of = ForRef::from(site.loop);
    if (along.has_loops) return Match::other_kind<reason::kHasInnerLoops>();
    if (of.carried_count() != 2) return Match::other_kind<reason::kNotTwoCarried>();
    if (const TransformResult is = is_argument_loop(site.loop); !is) return Match::other_kind(is.error());
    const auto count = extent(site.loop);
    if (count && *count < kFewestArgumentTerms) return Match::no<reason::kTooShort>();
    if (along.work >= kBusyWork) return Match::no<reason::kComputedTwice>();
    if (along.loads.apart() > 0) return Match::no<reason::kAccessesNotContiguous>();
    if (!admits(scheduler.numerics(), NumericsClass::SignedZero, true)) return Match::no<reason::kZeroSign>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return count_text(site.loop) + " values are compared, " + number_of(site.along().loads.next, "load") +
           " of neighbours each, in lanes that need not know the positions";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef around = site.loop.parent_op();
    OpRef next = site.loop.next();
    const OpRef before = site.loop.previous();
    const std::int64_t tile = is_long(site.loop) ? kFlatTile : 0;
    if (!scheduler.take("split-argument", site.loop, NumericsClass::SignedZero, scheduler.counts().tiled,
                        [&] { return split_argument(site.loop, tile); }))
      return Failure{scheduler.refused()};
    const OpRef first = next_loop(next.parent(), before);
    OpRef extremum = first, last = first;
    if (tile > 0) {
      extremum = next_loop(first.region(0), OpRef());
      last = next_loop(next.parent(), first);
      scheduler.leave_serial(last, "it goes by tiles");
    }
    const OpRef places = next_loop(next.parent(), last);
    for (const OpRef loop : {extremum, places})
      if (!give_lanes_by(scheduler, loop, kFlatTile, kReductionLanes))
        scheduler.leave_serial(loop, scheduler.refused().message());
    return outermost_in(around, first);
  }

 private:
  // So that values need not be read twice, and threads have something to share.
  static bool is_long(OpRef loop) {
    const IndexExpr count = over_values(loop, ForRef::from(loop).last());
    return loops_around(loop).empty() && is_size(loop.module().context().index(), count) &&
           extent(loop).value_or(2 * kFlatTile) >= 2 * kFlatTile;
  }
};

}  // namespace

const StrategyDef kExtremumThenPositionStrategy{
    .name = "extremum-then-position",
    .summary = "Lanes over values for the best one, then over the positions of what equals it.",
    .stage = Stage::Lanes,
    .numerics = NumericsClass::SignedZero,
    .matches = ExtremumThenPosition::matches,
    .why = ExtremumThenPosition::why,
    .apply = ExtremumThenPosition::apply,
};

}  // namespace mlgc::schedule
