// split-reduction: a reduction of everything becomes those of its tiles, on threads, and one of their results.
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct SplitReduction {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    if (ForRef::from(site.loop).carried_count() == 0) return Match::other_kind<reason::kCarriesNothing>();
    if (ForRef::from(site.loop.parent_op()).valid()) return Match::other_kind<reason::kInsideLoop>();
    if (site.along().has_loops) return Match::no<reason::kHasInnerLoops>();
    if (extent(site.loop).value_or(2 * kSumTile) < 2 * kSumTile)
      return Match::no<reason::kLessThanTwoTiles>(count_text(site.loop), kSumTile);
    if (!admits(scheduler.numerics(), vectorizing_changes(site.loop), true))
      return Match::no<reason::kTilesReorderSum>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return count_text(site.loop) + " terms stand in no other loop, so tiles of " + std::to_string(kSumTile) +
           " are what threads share";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const PlaceAmongLoops place(site.loop);
    if (!scheduler.take("rfactor", site.loop, vectorizing_changes(site.loop), scheduler.counts().tiled,
                        [&] { return rfactor(site.loop, kSumTile, scheduler.facts()); }))
      return Failure{scheduler.refused()};
    return place.first();
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
