// dot-product-per-lane: in the strips of another sum's columns each lane has a sum of its own.

#include "schedule/contraction.h"
#include "schedule/scheduler.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct DotProductPerLane {
  static OpRef strip_of(OpRef sum) {
    for (const OpRef loop : loops_around(sum))
      if (ForRef::from(loop).kind() == LoopKind::Vector) return loop;
    return {};
  }
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    if (!strip_of(site.loop).valid()) return Match::other_kind<reason::kNoOuterLanes>();
    if (!goes_along(site.loop)) return Match::no<reason::kTermsNotContiguous>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return loop_text(strip_of(site.loop)) + " around it has lanes for another sum";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    scheduler.narrow_sums(site.loop);
    return site.loop;
  }
};

}  // namespace

const StrategyDef kDotProductPerLaneStrategy{
    .name = "dot-product-per-lane",
    .summary = "A sum in the columns of another one, which have the lanes, is each lane's own.",
    .stage = Stage::Products,
    .numerics = NumericsClass::Reassociate,
    .matches = DotProductPerLane::matches,
    .why = DotProductPerLane::why,
    .apply = DotProductPerLane::apply,
};

}  // namespace mlgc::schedule
