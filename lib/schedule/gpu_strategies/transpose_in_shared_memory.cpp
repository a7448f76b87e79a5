// transpose-in-shared-memory: a transpose by square tiles in the shared memory of a thread block.
#include "loopir/subscripts.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/loop_edit.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct TransposeInSharedMemory {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    if (transposition(site.loop, kSquareTile)) return Match::yes();
    if (transposition(site.loop, 1)) return Match::no<reason::kSmallerThanTile>(kSquareTile);
    return Match::other_kind<reason::kNoTransposition>();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const Transposition found = *transposition(site.loop, kSquareTile);
    return "loads are contiguous along " + loop_text(found.across) + " and stores along " + loop_text(found.along) +
           ": " + count_text(found.across) + " by " + count_text(found.along) + " elements fill tiles of " +
           std::to_string(kSquareTile) + " by " + std::to_string(kSquareTile);
  }
  // As on a CPU, but that both loops over tiles stay parallel.
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const Transposition found = *transposition(site.loop, kSquareTile);
    const OpRef across = found.across, along = found.along;
    if (!scheduler.tile_by(across, kSquareTile)) return Failure{scheduler.refused()};
    ForRef::from(along).set_kind(LoopKind::Serial);
    if (!scheduler.tile_by(along, kSquareTile) || !scheduler.interchange_with_inner(across)) return across.parent_op();
    const OpRef tiles = across, tile = tiles.region(0).front();
    for (const OpRef op : tile.region(0).front().region(0).ops())
      if (op.is(LoopOp::Load) && runs_across(op, ForRef::from(tile)))
        (void)scheduler.take("stage", op, NumericsClass::Exact, scheduler.counts().staged,
                             [&] { return stage(op, tile); });
    (void)scheduler.share(tiles);
    for (const OpRef rows : loops_in(tiles.region(0))) give_threads_inside(scheduler, rows, 1);
    return tiles.parent_op();
  }

 private:
  static bool runs_across(OpRef load, ForRef loop) {
    return !subscripts_of(load).empty() && over_values(load, subscripts_of(load).back()) == of_value(loop.index());
  }
};

}  // namespace

const StrategyDef kTransposeInSharedMemoryStrategy{
    .name = "transpose-in-shared-memory",
    .summary = "A block a square tile, which goes through its scratch, so that lines of both buffers are used whole.",
    .stage = Stage::Nest,
    .matches = TransposeInSharedMemory::matches,
    .why = TransposeInSharedMemory::why,
    .apply = TransposeInSharedMemory::apply,
};

}  // namespace mlgc::schedule
