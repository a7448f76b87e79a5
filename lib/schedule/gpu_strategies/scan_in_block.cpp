// scan-in-block: a block, or a warp, takes a row with running reductions (cumsum). What they take and leave goes
// through shared memory, of which each thread has a piece: pieces are reduced, what comes before each follows, and they
// run.
#include <algorithm>
#include <bit>

#include "loopir/nests.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/running.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct ScanInBlock {
  // What stands in a row: the loops of the innermost parallel one, or the nest itself.
  static std::vector<OpRef> loops_of(const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    return chain.empty() ? std::vector<OpRef>{site.loop} : loops_in(chain.back().region(0));
  }
  static std::int64_t elements(OpRef loop) { return usual_extent(ForRef::from(loop)).value_or(kMostScanRow + 1); }
  static std::int64_t threads_of(OpRef scan) {
    if (elements(scan) <= kRowOfWarp) return kWarp;
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(elements(scan) / kScanElements)));
  }
  // Elements of a thread. Their number is odd, so that threads of a warp are in different banks of shared memory.
  static std::int64_t piece_of(std::int64_t elements, std::int64_t threads) { return ceil_div(elements, threads) | 1; }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    const std::vector<OpRef> loops = loops_of(site);
    if (std::none_of(loops.begin(), loops.end(), is_running)) return Match::other_kind<reason::kNoRunningLoop>();
    if (!chain.empty() && one_thread_each(chain.back(), AlongLoop{ForRef::from(chain.back())}))
      return Match::no<reason::kShortOrCoalesced>(kShortRow);
    for (const OpRef loop : loops) {
      if (!is_running(loop)) continue;
      if (!chain.empty() && !(loop.parent() == chain.back().region(0))) return Match::no<reason::kOtherInnerLoops>();
      if (elements(loop) > kMostScanRow) return Match::no<reason::kRowNotInBlock>(elements(loop), kMostScanRow);
      if (elements(loop) <= kShortRow) return Match::no<reason::kTooShort>();
      if (!admits(scheduler.numerics(), running_changes(loop), true)) return Match::no<reason::kPartsReorderSum>();
    }
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> loops = loops_of(site);
    const OpRef scan = *std::find_if(loops.begin(), loops.end(), is_running);
    const std::int64_t threads = threads_of(scan);
    return std::to_string(threads) + " threads take " + std::to_string(piece_of(elements(scan), threads)) + " of " +
           iterations_text(scan) + " each, and their results follow from each other";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    const PlaceAmongLoops place(site.loop);
    if (!chain.empty()) ++scheduler.counts().parallel;
    for (const OpRef loop : loops_of(site)) {
      if (!is_running(loop))
        give_threads(scheduler, loop);
      else if (!scan(scheduler, loop))
        return Failure{scheduler.refused()};
    }
    return place.first();
  }

 private:
  static bool scan(Scheduler& scheduler, OpRef loop) {
    const std::int64_t count = elements(loop), threads = threads_of(loop);
    const PlaceAmongLoops place(loop);
    OpRef carries = loop;
    if (scheduler.take("separate-scan", loop, NumericsClass::Exact, scheduler.counts().staged,
                       [&] { return separate_scan(loop, scheduler.facts()); })) {
      const std::vector<OpRef> parts = place.loops();
      for (const OpRef part : {parts.front(), parts.back()}) {
        const auto most =
            static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(ceil_div(count, threads))));
        const std::int64_t each = aligned_at_a_time(part, std::min(iterations_at_a_time(part), most));
        if (!scheduler.vectorize_in(part, threads, NumericsClass::Exact, each)) return false;
      }
      carries = parts[1];
    }
    return split(scheduler, carries, count, piece_of(count, threads));
  }
  // Pieces of the loop are threads; what they give is scanned by pieces in turn, if it is much.
  static bool split(Scheduler& scheduler, OpRef loop, std::int64_t count, std::int64_t size) {
    const PlaceAmongLoops place(loop);
    if (!scheduler.take("split-scan", loop, running_changes(loop), scheduler.counts().tiled,
                        [&] { return split_scan(loop, size, ScanPieces::OfRow, scheduler.facts()); }))
      return false;
    const std::vector<OpRef> parts = place.loops();
    const std::int64_t pieces = ceil_div(count, size);
    const auto lanes =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(pieces, 2))));
    for (const OpRef part : {parts.front(), parts.back()})
      if (!scheduler.vectorize_in(part, lanes)) return false;
    return pieces <= kMostScannedByOne || split(scheduler, parts[1], pieces, kScanElements | 1);
  }
};

}  // namespace

const StrategyDef kScanInBlockStrategy{
    .name = "scan-in-block",
    .summary = "A block a row with running reductions, in shared memory: a thread a piece of it.",
    .stage = Stage::Nest,
    .numerics = NumericsClass::Reassociate,
    .matches = ScanInBlock::matches,
    .why = ScanInBlock::why,
    .apply = ScanInBlock::apply,
};

}  // namespace mlgc::schedule
