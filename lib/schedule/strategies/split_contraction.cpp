// split-contraction (split-k): the k-loop of a long contraction is tiled; the tiles are nests of their own in front.
#include "schedule/contraction.h"
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct SplitContraction {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    const ForRef sum = ForRef::from(site.loop);
    if (sum.carried_count() != 1 || !is_sum_of_products(sum)) return Match::other_kind<reason::kNoContraction>();
    if (loops_around(site.loop).empty()) return Match::other_kind<reason::kNoOuterLoop>();
    if (!scheduler.may_reassociate()) return Match::no<reason::kTilesReorderSum>();
    if (terms_of_tile(site.loop) == 0) return Match::no<reason::kShortOrUnsharedSum>(kLongContraction, kFewestShares);
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return iterations_text(site.loop) + " have " + std::to_string(kLongContraction) + " terms or more: tiles of " +
           std::to_string(terms_of_tile(site.loop)) + " leave few partial sums";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef sum = site.loop;
    const PlaceAmongLoops place(loops_around(sum).back());
    const std::int64_t size = terms_of_tile(sum);
    if (!scheduler.take("rfactor", sum, NumericsClass::Reassociate, scheduler.counts().tiled,
                        [&] { return rfactor(sum, size, scheduler.facts()); }))
      return Failure{scheduler.refused()};
    return place.first();
  }
};

}  // namespace

const StrategyDef kSplitContractionStrategy{
    .name = "split-contraction",
    .summary = "Tiles of a long contraction on threads, then their results combined in order.",
    .stage = Stage::Split,
    .numerics = NumericsClass::Reassociate,
    .matches = SplitContraction::matches,
    .why = SplitContraction::why,
    .apply = SplitContraction::apply,
};

}  // namespace mlgc::schedule
