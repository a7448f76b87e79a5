// block-per-row-tile: reductions of many rows, for few columns: tiles of rows are blocks, and their results come
// together.
#include <algorithm>

#include "loopir/nests.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/rows.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct BlockPerRowTile {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.size() != 1) return Match::other_kind<reason::kNotOneParallelLoop>();
    const AlongLoop& along = site.along();
    const std::vector<OpRef> inner = loops_in(site.loop.region(0));
    if (inner.size() != 1 || ForRef::from(inner[0]).carried_count() == 0)
      return Match::other_kind<reason::kNotOneReduction>();
    if (is_sum_of_products(ForRef::from(inner[0]))) return Match::other_kind<reason::kInnerContraction>();
    if (!is_columns(along)) return Match::no<reason::kNotCoalesced>();
    if (extent(inner[0]).value_or(kGpuManyRows) < kGpuManyRows)
      return Match::no<reason::kFewRows>(count_text(inner[0]), kGpuManyRows);
    if (extent(site.loop).value_or(1) > kGpuManyColumns)
      return Match::no<reason::kEnoughThreads>(count_text(site.loop));
    if (!admits(scheduler.numerics(), vectorizing_changes(inner[0]), true))
      return Match::no<reason::kTilesReorderSum>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return count_text(loops_in(site.loop.region(0)).front()) + " rows are reduced for each of " +
           count_text(site.loop) + " columns: tiles of " + std::to_string(kGpuRowTile) + " rows, " +
           std::to_string(kGpuRowBlock) + " at a time";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef columns = site.loop;
    const NumericsClass change = vectorizing_changes(loops_in(columns.region(0)).front());
    const std::vector<OpRef> before = loops_in(columns.parent());
    if (!scheduler.take("block-columns", columns, change, scheduler.counts().tiled,
                        [&] { return block_column_reduction(columns, kGpuRowTile, kGpuRowBlock, scheduler.facts()); }))
      return Failure{scheduler.refused()};
    std::vector<OpRef> made;  // tiles of rows, then columns
    for (const OpRef op : loops_in(columns.parent()))
      if (op == columns || std::find(before.begin(), before.end(), op) == before.end()) made.push_back(op);
    for (const OpRef nest : made) divide_made(scheduler, nest);
    return made.front();
  }

 private:
  static void divide_made(Scheduler& scheduler, OpRef nest) {
    const std::vector<OpRef> chain = parallel_chain(nest);
    if (chain.empty()) return give_threads(scheduler, nest);
    const AlongLoop along{ForRef::from(chain.back())};
    if (along.has_loops && !one_thread_each(chain.back(), along)) give_threads_inside(scheduler, chain.back(), 1);
  }
};

}  // namespace

const StrategyDef kBlockPerRowTileStrategy{
    .name = "block-per-row-tile",
    .summary = "A block a tile of rows, each thread with some columns, then their results in order.",
    .stage = Stage::Grid,
    .numerics = NumericsClass::Reassociate,
    .matches = BlockPerRowTile::matches,
    .why = BlockPerRowTile::why,
    .apply = BlockPerRowTile::apply,
};

}  // namespace mlgc::schedule
