// elementwise-lanes: an innermost loop over elements of which some are contiguous.
#include <algorithm>
#include <bit>

#include "ir/walk.h"
#include "schedule/contraction.h"
#include "schedule/cpu_lanes.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

struct ElementwiseLanes {
  static std::int64_t lanes_of(const Scheduler& scheduler, const Site& site) {
    const std::int64_t lanes =
        lanes_that_may_fill(site.loop, site.along().work >= kBusyWork ? kBusyLanes : kPlainLanes, scheduler.facts());
    if (site.along().loads.scattered == 0) return lanes;
    return lanes_without_rest(site.loop, kRestLanes, lanes);
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const AlongLoop& along = site.along();
    if (along.has_loops) return Match::other_kind<reason::kHasInnerLoops>();
    if (ForRef::from(site.loop).carried_count() > 0) return Match::other_kind<reason::kCarriesValues>();
    if (extent(site.loop).value_or(kFewestLanes) < kFewestLanes) return Match::no<reason::kTooShort>();
    if (along.loads.next + along.stores.next == 0 && along.loads.apart() + along.stores.apart() > 0)
      return Match::no<reason::kAccessesNotContiguous>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    const AlongLoop& along = site.along();
    return std::to_string(along.loads.next + along.stores.next) + " of " +
           number_of(along.loads.next + along.stores.next + along.loads.apart() + along.stores.apart(), "place") +
           " that move along " + loop_text(site.loop) + " are neighbours; " + std::to_string(along.work) +
           " operations an element ask for up to " + std::to_string(lanes_of(scheduler, site)) + " lanes";
  }
  // Rows of a few strips: the last strip is full too, and begins in the one before. Strips are written out, so that
  // each knows where it begins.
  static bool lay_strips(Scheduler& scheduler, OpRef loop, std::int64_t most_lanes) {
    const auto count = extent(loop);
    if (!count || *count < 1 || loops_around(loop).empty()) return false;
    const auto widest =
        std::min(most_lanes, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(*count))));
    std::int64_t ops = 0;
    walk(loop, [&](OpRef) { ++ops; });
    if (*count % widest == 0) return false;
    // The widest strips of those that compute least twice.
    std::int64_t lanes = 0, least = 0;
    for (std::int64_t some = widest; some >= std::min(widest, kRestLanes); some /= 2) {
      const std::int64_t strips = ceil_div(*count, some);
      if (strips > std::max(kFewStrips, kOpsOfStrips / ops)) break;
      if (lanes == 0 || strips * some < least) lanes = some, least = strips * some;
    }
    if (lanes == 0) return false;
    if (is_parallel_inside(loop) || ForRef::from(loop).kind() == LoopKind::Parallel) scheduler.serialize(loop);
    if (!scheduler.tile_by(loop, lanes, Tail::Overlap)) return false;
    const OpRef strips = loop.parent_op();
    if (!scheduler.vectorize_in(loop, lanes)) return false;
    (void)scheduler.take("unroll", strips, NumericsClass::Exact, scheduler.counts().unrolled,
                         [&] { return unroll(strips, 0, scheduler.facts()); });
    return true;
  }

  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef around = site.loop.parent_op();
    if (lay_strips(scheduler, site.loop, lanes_of(scheduler, site))) return outermost_in(around, site.loop);
    if (!give_lanes_by(scheduler, site.loop, kFlatTile, lanes_of(scheduler, site))) return Failure{scheduler.refused()};
    return outermost_in(around, site.loop);
  }
};

}  // namespace

const StrategyDef kElementwiseLanesStrategy{
    .name = "elementwise-lanes",
    .summary = "Lanes over contiguous elements; tiles of them on threads.",
    .stage = Stage::Lanes,
    .matches = ElementwiseLanes::matches,
    .why = ElementwiseLanes::why,
    .apply = ElementwiseLanes::apply,
};

}  // namespace mlgc::schedule
