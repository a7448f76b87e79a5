// lanes-over-product-columns: sums of products that no registers are shared for, each lane with those of a column.
#include "schedule/contraction.h"
#include "schedule/cpu_lanes.h"
#include "schedule/strategies/rows.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct LanesOverProductColumns {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    if (!site.along().has_loops) return Match::other_kind("there is no loop in it");
    if (!holds_products(site.loop)) return Match::other_kind("no loop inside is a sum of products");
    if (Match columns = match_columns(site.loop, site.along()); !columns) return columns;
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return iterations_text(site.loop) + " have sums of products of their own, which read and write neighbours";
  }
  // To the innermost loops of what stands between the two now.
  static void give_lanes_to_copies(Scheduler& scheduler, OpRef before, OpRef nest) {
    for (OpRef op = nest.previous(); op.valid() && op != before; op = op.previous())
      if (ForRef::from(op).valid()) (void)give_lanes_by(scheduler, loops_of(op).back(), kFlatTile, kFewestColumnLanes);
  }

  static Result<OpRef, std::string> apply(Scheduler& scheduler, const Site& site) {
    const OpRef around = site.loop.parent_op();
    for (const OpRef inner : loops_in(site.loop.region(0))) {
      const ForRef of = ForRef::from(inner);
      if (of.carried_count() == 0 || !is_sum_of_products(of)) continue;
      const OpRef nest = loops_around(inner).back(), before = nest.previous();
      pad_columns(scheduler, inner, site.loop);
      give_lanes_to_copies(scheduler, before, nest);
      narrow_product_blocks(scheduler, inner);
    }
    if (!give_lanes_by(scheduler, site.loop, kColumnTile, kBusyLanes)) return Failure{scheduler.refused()};
    return outermost_in(around, site.loop);
  }
};

}  // namespace

const StrategyDef kLanesOverProductColumnsStrategy{
    .name = "lanes-over-product-columns",
    .summary = "Lanes over columns that follow each other, each with its own sums of products.",
    .stage = Stage::Lanes,
    .numerics = NumericsClass::Reassociate,
    .matches = LanesOverProductColumns::matches,
    .why = LanesOverProductColumns::why,
    .apply = LanesOverProductColumns::apply,
};

}  // namespace mlgc::schedule
