// blocked-column-reduction: sums of rows, one for each column, read blocks of rows along their columns. Without a loop
// around them that threads share, their tiles are shared; of few rows columns are.
#include "schedule/cpu_lanes.h"
#include "schedule/reduction_order.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct BlockedColumnReduction {
  // The loop over rows; an invalid handle: there is not one alone that reduces.
  static OpRef rows_of(OpRef columns) {
    const std::vector<OpRef> inner = loops_in(columns.region(0));
    return inner.size() == 1 && ForRef::from(inner[0]).carried_count() > 0 ? inner[0] : OpRef();
  }
  static std::int64_t fewest_rows(OpRef columns) { return is_parallel_inside(columns) ? 2 * kRowBlock : kManyRows; }
  static std::int64_t block_of(OpRef columns) {
    return extent(columns).value_or(kFewReducedColumns) < kFewReducedColumns ? kRowBlockOfFew : kRowBlock;
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    if (!site.along().has_loops) return Match::other_kind<reason::kNoInnerLoop>();
    if (Match columns = match_columns(site.loop, site.along()); !columns) return columns;
    if (holds_products(site.loop)) return Match::other_kind<reason::kHoldsContraction>();
    const OpRef rows = rows_of(site.loop);
    if (!rows.valid()) return Match::other_kind<reason::kNotOneReduction>();
    const std::int64_t least = fewest_rows(site.loop);
    if (extent(rows).value_or(least) < least) return Match::no<reason::kFewRows>(count_text(rows), least);
    if (!admits(scheduler.numerics(), vectorizing_changes(rows), true)) return Match::no<reason::kBlocksReorderSum>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return count_text(rows_of(site.loop)) + " rows are reduced for each of " + count_text(site.loop) +
           " contiguous columns: tiles of " + std::to_string(kRowTile) + " rows, " +
           std::to_string(block_of(site.loop)) + " at a time along all columns";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef loop = site.loop;
    const NumericsClass change = vectorizing_changes(rows_of(loop));
    const std::int64_t block = block_of(loop);
    if (!scheduler.take("block-columns", loop, change, scheduler.counts().tiled,
                        [&] { return block_column_reduction(loop, kRowTile, block, scheduler.facts()); }))
      return Failure{scheduler.refused()};
    // The tiles stand in front of what the loop has become: one loop along columns, and one over blocks that holds one.
    OpRef tiles;
    for (const OpRef op : loop.parent().ops()) {
      if (op == loop) break;
      tiles = op;
    }
    for (const OpRef made : loops_in(tiles.region(0))) {
      const std::vector<OpRef> along = loops_in(made.region(0));
      give_lanes(scheduler, along.empty() ? made : along[0]);
    }
    give_lanes(scheduler, loop);
    return tiles;
  }

 private:
  static void give_lanes(Scheduler& scheduler, OpRef loop) {
    if (!give_lanes_by(scheduler, loop, kColumnTile, kPlainLanes))
      scheduler.leave_serial(loop, scheduler.refused().message());
  }
};

}  // namespace

const StrategyDef kBlockedColumnReductionStrategy{
    .name = "blocked-column-reduction",
    .summary = "Tiles of rows on threads, reduced by blocks of a few rows along all columns, which have the lanes.",
    .stage = Stage::Lanes,
    .numerics = NumericsClass::Reassociate,
    .matches = BlockedColumnReduction::matches,
    .why = BlockedColumnReduction::why,
    .apply = BlockedColumnReduction::apply,
};

}  // namespace mlgc::schedule
