// block-per-tile: contiguous elements; a thread of a block takes as many neighbours as one access reads.
#include "loopir/nests.h"
#include "schedule/flat_elements.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct BlockPerTile {
  static constexpr std::int64_t kPiecesOfWarp = 128;  // of a row that a warp takes, at most
  static std::int64_t at_a_time(const Site& site) { return iterations_at_a_time(parallel_chain(site.loop).back()); }
  // Of a block; a row that has fewer elements takes no more than it needs.
  static std::int64_t threads_of(const Site& site) {
    const std::int64_t each = at_a_time(site);
    const std::int64_t count = extent(parallel_chain(site.loop).back()).value_or(kElementThreads * each);
    return threads_for(count + each - 1, each, kWarp, kElementThreads);
  }

  // Pieces of a row that stays a loop, aligned to what it stores wherever it begins. A warp takes a short row.
  static std::optional<SkewedPieces> skewed(std::span<const OpRef> chain) {
    return chain.size() > 1 && !is_better_flat(chain) ? skewed_pieces(chain.back()) : std::nullopt;
  }
  static std::int64_t threads_of_skewed(const Site& site, std::int64_t each) {
    const std::int64_t pieces = *extent(parallel_chain(site.loop).back()) / each + 1;
    return pieces <= kPiecesOfWarp ? kWarp : threads_for(pieces, 1, kWarp, kElementThreads);
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.empty()) return Match::other_kind<reason::kNotParallel>();
    if (AlongLoop{ForRef::from(chain.back())}.has_loops) return Match::other_kind<reason::kHasInnerLoops>();
    if (is_better_flat(chain)) return Match::yes();
    if (chain.size() > 1 && extent(chain.back()).value_or(kElementThreads) < kElementThreads / 2)
      return Match::no<reason::kFewRowElements>(count_text(chain.back()), kElementThreads / 2);
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (is_better_flat(chain))
      return number_of(chain.size(), "loop") + " over contiguous results are one, of " +
             std::to_string(rows_of(chain)) + " elements: a block of " + std::to_string(kElementThreads) +
             " threads takes pieces of 16 bytes";
    if (const auto pieces = skewed(chain))
      return iterations_text(chain.back()) +
             " are elements of their own: " + std::to_string(threads_of_skewed(site, pieces->each)) + " threads take " +
             std::to_string(pieces->each) + " neighbours each at a time, aligned wherever the row begins";
    return iterations_text(chain.back()) + " are elements of their own: a block of " +
           std::to_string(threads_of(site)) + " threads takes " + std::to_string(at_a_time(site)) + " each";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (is_better_flat(chain)) {
      if (!flatten(scheduler, chain)) return Failure{scheduler.refused()};
    } else if (const auto pieces = skewed(chain)) {
      const std::int64_t lanes = threads_of_skewed(site, pieces->each);
      if (!scheduler.vectorize_in(chain.back(), lanes, NumericsClass::Exact, pieces->each, pieces->skew))
        return Failure{scheduler.refused()};
      return site.loop;
    }
    const OpRef loop = parallel_chain(site.loop).back();
    const std::int64_t threads = threads_of(site), each = at_a_time(site);
    if (!scheduler.vectorize_in(loop, threads, NumericsClass::Exact, each)) return Failure{scheduler.refused()};
    // Of a tile that ends at a minimum, places are not always shown to lie inside.
    if (!scheduler.tile_by(loop, threads * each) && !scheduler.tile_by(loop, threads * each, Tail::Loop)) return loop;
    ForRef::from(loop.parent_op()).set_kind(LoopKind::Parallel);
    return loop.parent_op();
  }
};

}  // namespace

const StrategyDef kBlockPerTileStrategy{
    .name = "block-per-tile",
    .summary = "A thread block computes a tile of contiguous elements, of which a thread takes several.",
    .stage = Stage::Grid,
    .matches = BlockPerTile::matches,
    .why = BlockPerTile::why,
    .apply = BlockPerTile::apply,
};

}  // namespace mlgc::schedule
