// split-reduction: a reduction of everything becomes those of its tiles, on threads, and one of their results.
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"
#include "schedule/strategies/rows.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct SplitReduction {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    if (ForRef::from(site.loop).carried_count() == 0) return Match::other_kind("it carries nothing");
    if (ForRef::from(site.loop.parent_op()).valid()) return Match::other_kind("it stands in another loop");
    if (site.along().has_loops) return Match::no("there are loops in it");
    if (extent(site.loop).value_or(2 * kSumTile) < 2 * kSumTile)
      return Match::no(count_text(site.loop) + " terms are less than two tiles of " + std::to_string(kSumTile));
    if (!admits(scheduler.numerics(), vectorizing_changes(site.loop), true))
      return Match::no("tiles would change the order of a sum, which the numerics do not admit");
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return count_text(site.loop) + " terms stand in no other loop, so tiles of " + std::to_string(kSumTile) +
           " are what threads share";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const RegionRef region = site.loop.parent();
    const OpRef before = site.loop.previous();
    if (!scheduler.take("rfactor", site.loop, vectorizing_changes(site.loop), scheduler.counts().tiled,
                        [&] { return rfactor(site.loop, kSumTile, scheduler.facts()); }))
      return Failure{scheduler.refused()};
    return next_loop(region, before);
  }
};

}  // namespace

const StrategyDef kSplitReductionStrategy{
    .name = "split-reduction",
    .summary = "Tiles of a reduction of everything on threads, then their results in order.",
    .stage = Stage::Split,
    .numerics = NumericsClass::Reassociate,
    .matches = SplitReduction::matches,
    .why = SplitReduction::why,
    .apply = SplitReduction::apply,
};

}  // namespace mlgc::schedule
