// gathered-window-lanes: for columns { a reduction over a window of elements at places that are computed } has the
// lanes along the columns, as interpolation between neighbours has. The window is written out; what is the same for all
// rows is hoisted later (hoist.h).
#include <algorithm>

#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "schedule/contraction.h"
#include "schedule/cpu_lanes.h"
#include "schedule/hoist.h"
#include "schedule/reduction_order.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct GatheredWindowLanes {
  OpRef columns;
  std::int64_t terms = 1;
  std::size_t gathered = 0;

  // Strips that are not full are dear: places in them are masked.
  static std::int64_t lanes_of(OpRef loop) {
    const std::int64_t lanes = lanes_without_rest(loop, kRestLanes, window_lanes_of(loop));
    const auto count = usual_extent(ForRef::from(loop));
    return count && *count % lanes != 0 ? std::min(lanes, kRestLanes) : lanes;
  }

  Match find(OpRef nest) {
    for (OpRef at = nest; at.valid(); at = only_loop_in(at)) {
      if (ForRef::from(at).carried_count() > 0) return Match::other_kind<reason::kCarriesValues>();
      columns = at;
    }
    const ForRef of = ForRef::from(columns);
    const AlongLoop along{of};
    if (!along.has_loops) return Match::other_kind<reason::kNoWindow>();
    if (Match windows = match_windows(columns.region(0), 1, kMostWindowTerms, terms); !windows) return windows;
    if (along.bounds_vary) return Match::other_kind<reason::kBoundsVary>();
    if (along.allocates || along.launches) return Match::other_kind<reason::kMemoryOrLaunches>();
    const auto varying = varying_values(of);
    for (const OpRef inner : loops_in(columns.region(0)))
      for (const OpRef load : loads_in(inner)) gathered += is_gathered(load, varying) ? 1 : 0;
    if (gathered == 0) return Match::other_kind<reason::kNoGather>();
    if (along.inner_loads.strided > 0 || along.inner_loads.scattered > gathered)
      return Match::other_kind<reason::kStridedLoads>();
    if (along.stores.next == 0 || along.stores.apart() > 0) return Match::no<reason::kStoresNotContiguous>();
    if (extent(columns).value_or(kFewestLanes) < kFewestLanes) return Match::no<reason::kShortRows>();
    return Match::yes();
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return GatheredWindowLanes().find(site.loop);
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    GatheredWindowLanes form;
    (void)form.find(site.loop);
    return iterations_text(form.columns) + " read windows of " + std::to_string(form.terms) + " elements at " +
           number_of(form.gathered, "computed place") + ": " + std::to_string(lanes_of(form.columns)) + " lanes";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    GatheredWindowLanes form;
    (void)form.find(site.loop);
    const OpRef around = site.loop.parent_op();
    if (form.terms > kWideWindowTerms)
      for (const OpRef op : loops_in(form.columns.region(0))) scheduler.narrow_sums(op);
    if (!give_lanes_by(scheduler, form.columns, kColumnsOfWindows, lanes_of(form.columns)))
      return Failure{scheduler.refused()};
    for (const OpRef loop : loops_of(form.columns))
      if (loop != form.columns)
        (void)scheduler.take("unroll", loop, NumericsClass::Exact, scheduler.counts().unrolled,
                             [&] { return unroll(loop, 0, scheduler.facts()); });
    return outermost_in(around, form.columns);
  }
};

}  // namespace

const StrategyDef kGatheredWindowLanesStrategy{
    .name = "gathered-window-lanes",
    .summary = "Lanes along columns that each reduce a short window of elements at computed places.",
    .stage = Stage::Nest,
    .numerics = NumericsClass::Reassociate,
    .matches = GatheredWindowLanes::matches,
    .why = GatheredWindowLanes::why,
    .apply = GatheredWindowLanes::apply,
};

}  // namespace mlgc::schedule
