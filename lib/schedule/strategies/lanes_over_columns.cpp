// lanes-over-columns: each lane runs the loops inside by itself, and in all of them lanes read and write neighbours, or
// elements of short rows that lie next to each other.
#include <algorithm>
#include <bit>
#include <optional>

#include "ir/assumed_size.h"
#include "ir/walk.h"
#include "loopir/loop_role.h"
#include "schedule/contraction.h"
#include "schedule/cpu_lanes.h"
#include "schedule/reduction_order.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

// What an iteration allocates, in bytes; unknown sizes count as kAssumedSize. Nothing where it is anything but scratch
// that stands in the loop alone.
std::optional<std::int64_t> scratch_bytes(OpRef loop) {
  const TypePool& types = loop.module().context().types();
  const IndexPool& pool = loop.module().context().index();
  std::int64_t out = 0;
  bool plain = true;
  walk(loop, [&](OpRef op) {
    if (loop_role(op) != LoopRole::Allocates || types.scope(op.result().type()) == Scope::Register) return;
    plain = plain && op.parent_op() == loop && types.scope(op.result().type()) == Scope::Thread;
    auto bytes = static_cast<std::int64_t>(dtype_info(op.result().dtype()).bytes);
    for (const IndexExpr dim : op.result().dims())
      bytes = saturating_mul(bytes, pool.as_constant(dim).value_or(kAssumedSize));
    out = saturating_add(out, bytes);
  });
  return plain ? std::optional(out) : std::nullopt;
}

struct LanesOverColumns {
  // Each lane goes its own way, so how many there are changes no bit: fewer where a lane carries or keeps much.
  static std::int64_t lanes_of(const Scheduler& scheduler, const Site& site) {
    const SumRegisters& registers = scheduler.limits().registers;
    std::int64_t carried = 4, most = kPlainLanes;
    walk(site.loop, [&](OpRef op) {
      const ForRef loop = ForRef::from(op);
      if (!loop.valid() || op == site.loop) return;
      std::int64_t bytes = 0;
      for (std::size_t i = 0; i < loop.carried_count(); ++i)
        bytes += static_cast<std::int64_t>(dtype_info(loop.carried(i).dtype()).bytes);
      carried = std::max(carried, bytes);
      if (AlongLoop{loop}.work >= kBusyWork) most = kBusyLanes;
    });
    const std::int64_t room = registers.registers * registers.vector_bytes / 2;
    const std::int64_t fit = (holds_running(site.loop) ? std::min(room, kRunningBytes) : room) / carried;
    const std::int64_t kept =
        scheduler.limits().scratch_bytes / std::max<std::int64_t>(1, scratch_bytes(site.loop).value_or(0));
    const auto widest = std::clamp(std::min(fit, kept), kFewestColumnLanes, most);
    auto lanes = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(widest)));
    // Lanes of the last strip that have no column cost as much as others.
    const auto count = extent(site.loop);
    const auto used = [&](std::int64_t n) { return (*count + n - 1) / n * n; };
    for (std::int64_t n = lanes; count && n >= kFewestColumnLanes; n /= 2)
      if (used(n) + *count / 8 < used(lanes)) lanes = n;
    while (count && lanes / 2 >= std::max(*count, kFewestLanes)) lanes /= 2;  // half of them would be empty
    return lanes;
  }

  static bool reduces_inside(OpRef loop) {
    const std::vector<OpRef> loops = loops_of(loop);
    return std::any_of(loops.begin() + 1, loops.end(),
                       [](OpRef inner) { return ForRef::from(inner).carried_count() > 0; });
  }

  static bool holds_running(OpRef loop) {
    const std::vector<OpRef> loops = loops_of(loop);
    return std::any_of(loops.begin() + 1, loops.end(), is_running);
  }

  // Each iteration iterates over a row that is too short for lanes, and the rows of neighbours lie next to each other.
  // Lanes in strides read elements one by one: of 8 bytes they are too few to make up for that, and a row that fills
  // its lanes has them itself, unless it carries its values in order, or positions beside them.
  static bool has_short_rows(const Site& site) {
    const AlongLoop& along = site.along();
    if (along.loads.strided == 0 || along.loads.scattered > 0 || along.widest_stride > kShortLaneRowBytes) return false;
    if (extent(site.loop).value_or(kFewestLaneRows) < kFewestLaneRows) return false;
    const std::int64_t longest = longest_inside(site.loop);
    if (longest > kShortLaneRow || along.strided_element > kWidestInStrides) return false;
    return longest % kFullLaneRow != 0 || holds_running(site.loop) || carries_pairs(site.loop);
  }
  static bool carries_pairs(OpRef loop) {
    const std::vector<OpRef> loops = loops_of(loop);
    return std::any_of(loops.begin() + 1, loops.end(),
                       [](OpRef inner) { return ForRef::from(inner).carried_count() > 1; });
  }
  // The most iterations of loops inside of each other.
  static std::int64_t longest_inside(OpRef loop) {
    std::int64_t most = 1;
    for (const OpRef inner : loops_in(loop.region(0)))
      most = std::max(most, saturating_mul(extent(inner).value_or(kShortLaneRow + 1), longest_inside(inner)));
    return most;
  }

  // Lanes would run it for one of them that needs it, and a `while` not at all.
  static bool has_loop_where_data_say(OpRef loop) {
    const auto holds_loop = [](OpRef branch) {
      const auto regions = branch.regions();
      return std::any_of(regions.begin(), regions.end(), [](RegionRef arm) { return !loops_in(arm).empty(); });
    };
    return !walk(loop, [&](OpRef op) {
      if (op.is(LoopOp::While)) return WalkResult::Stop;
      const bool decides = op.is(LoopOp::If) && op.operand(0).is_result() && !op.operand(0).definer().is(LoopOp::Guard);
      return decides && holds_loop(op) ? WalkResult::Stop : WalkResult::Continue;
    });
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    if (!site.along().has_loops) return Match::other_kind<reason::kNoInnerLoop>();
    if (holds_products(site.loop)) return Match::other_kind<reason::kHoldsContraction>();
    const ColumnNeeds needs = has_short_rows(site)       ? ColumnNeeds::Rows
                              : holds_running(site.loop) ? ColumnNeeds::Running
                                                         : ColumnNeeds::MayKeep;
    if (Match columns = match_columns(site.loop, site.along(), needs); !columns) return columns;
    if (!site.along().allocates && site.along().stores.next == 0 && !reduces_inside(site.loop))
      return Match::no<reason::kNoReductionInside>();
    if (has_loop_where_data_say(site.loop)) return Match::no<reason::kDataDependentLoop>();
    if (site.along().allocates && !scratch_bytes(site.loop)) return Match::no<reason::kLaneMemory>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    const std::string loops = number_of(loops_in(site.loop.region(0)).size(), "loop") + " inside";
    std::string out = iterations_text(site.loop) +
                      (has_short_rows(site) ? " have short rows next to each other in " : " read neighbours in ") +
                      loops;
    if (site.along().allocates)
      out += "; what each keeps is kept for " + number_of(lanes_of(scheduler, site), "lane") + " at a time";
    return out;
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef around = site.loop.parent_op();
    const std::int64_t lanes = lanes_of(scheduler, site);
    for (const OpRef inner : loops_in(site.loop.region(0)))
      if (!AlongLoop{ForRef::from(inner)}.has_loops) narrow_long(scheduler, inner, kOwnSumBlock);
    if (site.along().allocates) {
      // A strip of columns, all of whose scratch is used at a time.
      if (!scheduler.tile_by(site.loop, lanes) || !scheduler.expand_scratch_of(site.loop))
        return Failure{scheduler.refused()};
    }
    if (!give_lanes_by(scheduler, site.loop, kColumnTile, lanes)) return Failure{scheduler.refused()};
    return outermost_in(around, site.loop);
  }
};

}  // namespace

const StrategyDef kLanesOverColumnsStrategy{
    .name = "lanes-over-columns",
    .summary = "Lanes over contiguous columns, or over short rows, each with loops of its own.",
    .stage = Stage::Lanes,
    .numerics = NumericsClass::Reassociate,
    .matches = LanesOverColumns::matches,
    .why = LanesOverColumns::why,
    .apply = LanesOverColumns::apply,
};

}  // namespace mlgc::schedule
