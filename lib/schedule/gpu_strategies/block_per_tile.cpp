// block-per-tile: elements that follow each other; a thread of a block takes several of them, far enough apart that the
// block's accesses are to neighbours.
#include "loopir/nests.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/rows.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct BlockPerTile {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.empty()) return Match::other_kind("it is not parallel");
    if (AlongLoop{ForRef::from(chain.back())}.has_loops) return Match::other_kind("there are loops in it");
    if (chain.size() > 1 && extent(chain.back()).value_or(kElementThreads) < kElementThreads / 2)
      return Match::no(count_text(chain.back()) + " elements of a row are less than " +
                       std::to_string(kElementThreads / 2));
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return iterations_text(parallel_chain(site.loop).back()) +
           " are elements of their own: " + std::to_string(kElementTile) + " a block of " +
           std::to_string(kElementThreads) + " threads";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef loop = parallel_chain(site.loop).back();
    if (!scheduler.vectorize_in(loop, kElementThreads)) return Failure{scheduler.refused()};
    if (!scheduler.tile_by(loop, kElementTile)) return loop;
    ForRef::from(loop.parent_op()).set_kind(LoopKind::Parallel);
    return loop.parent_op();
  }
};

}  // namespace

const StrategyDef kBlockPerTileStrategy{
    .name = "block-per-tile",
    .summary = "A block a tile of elements that follow each other, of which a thread takes several.",
    .stage = Stage::Grid,
    .matches = BlockPerTile::matches,
    .why = BlockPerTile::why,
    .apply = BlockPerTile::apply,
};

}  // namespace mlgc::schedule
