// dot-product-tiles: for i { for j { sum } } becomes for j_o { for i_o { a sum in lanes for each i and j of the tile }
// }. A small factor whose stride along the terms is not 1 is packed in their order first.
#include <algorithm>
#include <vector>

#include "ir/assumed_size.h"
#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/cpu_limits.h"
#include "schedule/packed_value.h"
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

// Of a sum one of whose factors, the one with the most elements, is contiguous along a loop of the sum, and others are
// not: what makes all of them contiguous.
class PackedFactors {
 public:
  explicit PackedFactors(OpRef sum) : sum_(sum) {
    for (OpRef loop = sum; loop.valid(); loop = loop_inside(loop)) chain_.push_back(loop);
    const std::vector<OpRef> loops = loops_of(sum), loads = loads_in(sum);
    if (loops.size() != chain_.size() || loads.size() < 2) return;
    std::vector<OpRef> all = loops_around(sum);
    all.insert(all.end(), loops.begin(), loops.end());
    const auto size = [&](OpRef load) { return elements_of(load, all); };
    const OpRef most =
        *std::max_element(loads.begin(), loads.end(), [&](OpRef a, OpRef b) { return size(a) < size(b); });
    for (const OpRef loop : chain_)
      if (along(most, ForRef::from(loop), varying_values(ForRef::from(loop))) == Along::Next) terms_ = loop;
    if (!terms_.valid()) return;
    const auto varying = varying_values(ForRef::from(terms_));
    for (const OpRef load : loads) {
      if (!varies(varying, load) || along(load, ForRef::from(terms_), varying) == Along::Next) continue;
      if (!pays(load, all)) {
        packed_.clear();
        return;
      }
      packed_.push_back(load);
    }
  }

  // None: no load is strided, or not all strided ones are small.
  [[nodiscard]] const std::vector<OpRef>& loads() const { return packed_; }

  // The loop over contiguous terms becomes the innermost one, the factors are packed, and the loops one.
  void run(Scheduler& scheduler) {
    const OpRef nest = loops_around(sum_).back();
    std::size_t at = static_cast<std::size_t>(std::find(chain_.begin(), chain_.end(), terms_) - chain_.begin());
    for (; at + 1 < chain_.size(); ++at)
      if (!scheduler.take("interchange", chain_[at], NumericsClass::Reassociate, scheduler.counts().tiled,
                          [&] { return interchange(chain_[at], scheduler.facts()); }))
        return;
    for (const OpRef load : packed_)
      if (scheduler.pack_before(load, nest)) give_packing_lanes(scheduler, nest.previous());
    scheduler.collapse_all(sum_);
  }

 private:
  // Of loops that carry one value, which the inner one takes further.
  static OpRef loop_inside(OpRef loop) {
    const OpRef inner = loop.region(0).front();
    return ForRef::from(inner).valid() && inner.next().is(LoopOp::Yield) ? inner : OpRef();
  }
  static std::int64_t elements_of(OpRef load, const std::vector<OpRef>& loops) {
    std::int64_t out = 1;
    for (const OpRef loop : loops)
      if (varies(varying_values(ForRef::from(loop)), load))
        out = saturating_mul(out, usual_extent(ForRef::from(loop)).value_or(kAssumedSize));
    return out;
  }
  // Each element of a copy is read often enough, and caches keep it.
  [[nodiscard]] bool pays(OpRef load, const std::vector<OpRef>& all) const {
    const OpRef nest = loops_around(sum_).back();
    if (!ForRef::from(load.parent_op()).valid() || !PackedValue(load, nest, true).check()) return false;
    std::int64_t runs = 1;
    for (const OpRef loop : all) runs = saturating_mul(runs, usual_extent(ForRef::from(loop)).value_or(kAssumedSize));
    const std::int64_t elements = elements_of(load, all);
    const auto bytes = static_cast<std::int64_t>(dtype_info(load.result().dtype()).bytes);
    return elements > 0 && runs / elements >= kFewestRepeats && saturating_mul(elements, bytes) <= kMostHoisted;
  }

  OpRef sum_, terms_;
  std::vector<OpRef> chain_, packed_;
};

struct DotProductTiles {
  // Loops whose iterations share what the sum reads, from the inside.
  static std::vector<OpRef> sharing(OpRef sum) {
    std::vector<OpRef> around = loops_around(sum);
    std::erase_if(around, [&](OpRef loop) { return !shares(loop, sum, sum); });
    return around;
  }
  static Match matches(const Scheduler& scheduler, const Site& site) {
    if (!goes_along(site.loop) && (!scheduler.may_reassociate() || PackedFactors(site.loop).loads().empty()))
      return Match::no<reason::kTermsNotContiguousOrFew>(kDotProductLanes);
    for (const OpRef loop : loops_around(site.loop))
      if (ForRef::from(loop).kind() == LoopKind::Vector) return Match::no<reason::kOuterLanes>();
    if (sharing(site.loop).empty()) return Match::no<reason::kNoSharingLoop>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    std::string text = count_text(site.loop) + " terms are contiguous, and " +
                       iterations_text(sharing(site.loop).front()) + " share what they read";
    if (const PackedFactors packed(site.loop); !goes_along(site.loop))
      text += "; " + number_of(packed.loads().size(), "load") + " packed in the order of the terms";
    if (!scheduler.may_reassociate()) text += "; sums stay in their order";
    return text;
  }
  // A busy epilogue would be computed sum by sum, since the lanes are those of the terms: it becomes loops of its own
  // after some columns of sums, which get lanes along the columns.
  static void separate_epilogue(Scheduler& scheduler, const std::vector<OpRef>& around) {
    const OpRef columns = around.front();
    OpRef rows = around.size() > 1 ? around[1] : columns;
    if (AlongLoop{ForRef::from(columns)}.work < kWorthOfEpilogueLanes || rows_may_not_part(rows, columns)) return;
    const bool parallel =
        ForRef::from(rows).kind() == LoopKind::Parallel || ForRef::from(columns).kind() == LoopKind::Parallel;
    if (usual_extent(ForRef::from(columns)).value_or(kMostEpilogueColumns + 1) > kMostEpilogueColumns) {
      if (!scheduler.tile_by(columns, kMostEpilogueColumns)) return;
      if (rows != columns) {
        // Tiles of columns outside of the rows: each column is read once.
        if (!scheduler.interchange_with_inner(rows)) return;
        rows = columns.parent_op();
      }
    }
    for (const OpRef loop : {rows, columns}) ForRef::from(loop).set_kind(LoopKind::Serial);
    if (!scheduler.take("distribute", rows, NumericsClass::Exact, scheduler.counts().tiled,
                        [&] { return distribute(rows); }))
      return;
    if (parallel && ForRef::from(rows.parent_op()).valid()) (void)scheduler.share(rows.parent_op());
  }
  static bool rows_may_not_part(OpRef rows, OpRef columns) {
    return (rows != columns && only_loop_in(rows) != columns) || ForRef::from(columns).carried_count() > 0;
  }

  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef sum = site.loop;
    if (!goes_along(sum)) {
      PackedFactors(sum).run(scheduler);
      if (!goes_along(sum))
        return Failure{
            diagnose<kScheduleNotApplicable>({}, index_name(ForRef::from(sum)), "go over contiguous terms alone")};
    }
    std::vector<OpRef> around = sharing(sum);
    // Sums that stay in their order are scalars, several of which have no need to wait for each other.
    const bool lanes = scheduler.may_reassociate();
    if (lanes && !scheduler.vectorize_in(sum, kDotProductLanes, NumericsClass::Reassociate))
      return Failure{scheduler.refused()};
    scheduler.narrow_sums(sum);
    separate_epilogue(scheduler, around);
    // Inside of tiles of columns, if there are any now.
    const std::size_t loops = around.size();
    around = sharing(sum);
    around.resize(std::min(around.size(), loops));
    const std::int64_t wide = scheduler.limits().registers.sum_columns();
    if (around.size() == 1) {
      scheduler.jam_later(around[0], 2 * wide);
      return sum;
    }
    OpRef columns = around[0], rows = around[1];
    // Columns outside: each is read once.
    if (extent(columns).value_or(scheduler.limits().threads) >= scheduler.limits().threads &&
        scheduler.interchange_with_inner(rows))
      std::swap(columns, rows);
    const std::int64_t fit =
        lanes ? scheduler.limits().registers.sum_bytes() / (kDotProductLanes * carried_bytes(sum)) : kTileScalars;
    scheduler.jam_later(columns, wide);
    scheduler.jam_later(rows, std::max<std::int64_t>(1, fit / wide));
    return sum;
  }
};

}  // namespace

const StrategyDef kDotProductTilesStrategy{
    .name = "dot-product-tiles",
    .summary = "Lanes over the terms of a sum; a tile of rows and columns has its partial sums in registers.",
    .stage = Stage::Products,
    .numerics = NumericsClass::Reassociate,
    .matches = DotProductTiles::matches,
    .why = DotProductTiles::why,
    .apply = DotProductTiles::apply,
};

}  // namespace mlgc::schedule
