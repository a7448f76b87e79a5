// lanes-over-columns: each lane runs the loops inside by itself, and in all of them lanes read and write neighbours.
#include "schedule/cpu_lanes.h"
#include "schedule/reduction_order.h"
#include "schedule/strategies/rows.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct LanesOverColumns {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    if (!site.along().has_loops) return Match::other_kind("there is no loop in it");
    if (holds_products(site.loop)) return Match::other_kind("a loop inside is a sum of products");
    if (Match columns = match_columns(site.loop, site.along()); !columns) return columns;
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return iterations_text(site.loop) + " read and write neighbours in " +
           number_of(loops_in(site.loop.region(0)).size(), "loop") + " inside";
  }
  static Result<OpRef, std::string> apply(Scheduler& scheduler, const Site& site) {
    const OpRef around = site.loop.parent_op();
    for (const OpRef inner : loops_in(site.loop.region(0)))
      if (!AlongLoop{ForRef::from(inner)}.has_loops) narrow_long(scheduler, inner, kOwnSumBlock);
    if (!give_lanes_by(scheduler, site.loop, kColumnTile, kPlainLanes)) return Failure{scheduler.refused()};
    return outermost_in(around, site.loop);
  }
};

}  // namespace

const StrategyDef kLanesOverColumnsStrategy{
    .name = "lanes-over-columns",
    .summary = "Lanes over columns that follow each other, each with loops of its own.",
    .stage = Stage::Lanes,
    .numerics = NumericsClass::Reassociate,
    .matches = LanesOverColumns::matches,
    .why = LanesOverColumns::why,
    .apply = LanesOverColumns::apply,
};

}  // namespace mlgc::schedule
