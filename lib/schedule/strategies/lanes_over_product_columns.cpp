// lanes-over-product-columns: contractions that no registers are shared for, each lane with those of a column.
#include <algorithm>

#include "ir/assumed_size.h"
#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/cpu_lanes.h"
#include "schedule/packed_value.h"
#include "schedule/reduction_order.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

struct LanesOverProductColumns {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    if (!site.along().has_loops) return Match::other_kind<reason::kNoInnerLoop>();
    if (!holds_products(is_interleaved(site) ? only_loop_in(site.loop) : site.loop))
      return Match::other_kind<reason::kNoContractionInside>();
    if (Match columns = match_columns(site.loop, site.along()); !columns) {
      const ColumnNeeds needs = is_interleaved(site) ? ColumnNeeds::Rows : ColumnNeeds::Packed;
      return match_columns(site.loop, site.along(), needs) && !across(site).empty() ? Match::yes() : columns;
    }
    return Match::yes();
  }
  // Each lane has a few sums, whose results are contiguous: those of the channels of a group.
  static bool is_interleaved(const Site& site) {
    const OpRef inner = only_loop_in(site.loop);
    if (!inner.valid() || ForRef::from(inner).carried_count() > 0) return false;
    const auto count = extent(inner);
    if (!count || *count >= kFewestColumns) return false;
    const std::vector<OpRef> loops = loops_in(inner.region(0));
    return std::all_of(loops.begin(), loops.end(), [](OpRef loop) {
      const ForRef of = ForRef::from(loop);
      return of.carried_count() > 0 && is_sum_of_products(of);
    });
  }
  // The loads that lanes over the columns would read across, where a copy of each, as lanes read it, serves the whole
  // nest: the weight of a depthwise convolution whose channels are last. Empty: there are none, or others.
  static std::vector<OpRef> across(const Site& site) {
    std::vector<OpRef> out;
    const OpRef nest = loops_around(site.loop).empty() ? site.loop : loops_around(site.loop).back();
    const ForRef columns = ForRef::from(site.loop);
    const auto varying = varying_values(columns);
    bool follows = false;
    for (const OpRef load : loads_in(site.loop)) {
      const Along kind = along(load, columns, varying);
      follows = follows || kind == Along::Next;
      if (kind == Along::Scattered) return {};
      if (kind != Along::Strided) continue;
      if (nest == site.loop || !ForRef::from(load.parent_op()).valid()) return {};
      PackedValue copy(load, nest);
      if (!copy.check()) return {};
      std::int64_t elements = 1, runs = 1;
      for (const ForRef& loop : copy.loops())
        elements = saturating_mul(elements, usual_extent(loop).value_or(kMostHoisted));
      for (const OpRef loop : loops_around(load))
        runs = saturating_mul(runs, usual_extent(ForRef::from(loop)).value_or(kAssumedSize));
      const auto bytes = static_cast<std::int64_t>(dtype_info(load.result().dtype()).bytes);
      if (elements < 1 || runs / elements < kFewestRepeats || saturating_mul(elements, bytes) > kMostHoisted) return {};
      out.push_back(load);
    }
    return follows ? out : std::vector<OpRef>();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    std::string out = iterations_text(site.loop) + " have contractions of their own, which read ";
    out += is_interleaved(site)
               ? "neighbours and write " + std::to_string(*extent(only_loop_in(site.loop))) + " results each"
               : "and write neighbours";
    if (const auto packed = across(site); !packed.empty()) out += "; " + number_of(packed.size(), "load") + " packed";
    return out;
  }
  // To the innermost loops of what stands between the two now.
  static void give_lanes_to_copies(Scheduler& scheduler, OpRef before, OpRef nest) {
    for (OpRef op = nest.previous(); op.valid() && op != before; op = op.previous())
      if (ForRef::from(op).valid()) (void)give_lanes_by(scheduler, loops_of(op).back(), kFlatTile, kFewestColumnLanes);
  }

  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef around = site.loop.parent_op();
    const bool plain = static_cast<bool>(match_columns(site.loop, site.along()));
    const std::vector<OpRef> packed = plain ? std::vector<OpRef>() : across(site);
    const OpRef copies = is_interleaved(site) ? only_loop_in(site.loop) : OpRef();
    for (const OpRef inner : sums_in(site.loop)) {
      const OpRef nest = loops_around(inner).back(), before = nest.previous();
      pad_columns(scheduler, inner, site.loop);
      give_lanes_to_copies(scheduler, before, nest);
      narrow_product_blocks(scheduler, inner);
    }
    if (!give_lanes_by(scheduler, site.loop, kColumnTile, kBusyLanes)) return Failure{scheduler.refused()};
    // After the lanes, along which the copy is contiguous.
    for (const OpRef load : packed) {
      const OpRef nest = loops_around(load).back();
      if (scheduler.pack_before(load, nest)) give_packing_lanes(scheduler, nest.previous());
    }
    if (copies.valid()) scheduler.jam_later(copies, *extent(copies));
    return outermost_in(around, site.loop);
  }
};

}  // namespace

const StrategyDef kLanesOverProductColumnsStrategy{
    .name = "lanes-over-product-columns",
    .summary = "Lanes over contiguous columns, each with its own contractions.",
    .stage = Stage::Lanes,
    .numerics = NumericsClass::Reassociate,
    .matches = LanesOverProductColumns::matches,
    .why = LanesOverProductColumns::why,
    .apply = LanesOverProductColumns::apply,
};

}  // namespace mlgc::schedule
