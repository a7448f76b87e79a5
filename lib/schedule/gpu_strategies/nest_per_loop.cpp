// nest-per-loop: rows of many elements, few rows, or columns: each loop of a row becomes a nest of its own, for which
// blocks and threads are then chosen by itself. What one nest leaves for another goes through memory of the device.
#include <algorithm>

#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

class NestPerLoop {
 public:
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.empty()) return Match::other_kind<reason::kNotParallel>();
    const OpRef row = chain.back();
    if (loops_in(row.region(0)).size() < 2) return Match::other_kind<reason::kNotSeveralLoops>();
    if (cause(site).empty()) return Match::no<reason::kBlocksKeepRows>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const OpRef row = parallel_chain(site.loop).back();
    return "each of " + number_of(loops_in(row.region(0)).size(), "loop") + " of a row becomes a nest: " + cause(site);
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    const bool is_across = reads_across(chain.back());
    recompute_cheap_scratch(scheduler, chain.back());
    const PlaceAmongLoops place(site.loop);
    for (std::size_t i = chain.size(); i-- > 0;) {
      const FissionAxis axis = is_across && i + 1 == chain.size() ? FissionAxis::Last : FissionAxis::First;
      if (!scheduler.take("fission", chain[i], NumericsClass::Exact, scheduler.counts().tiled,
                          [&] { return fission(chain[i], scheduler.facts(), FissionInto::EachLoop, axis); }))
        return Failure{scheduler.refused()};
    }
    for (const OpRef nest : place.loops()) {
      share_chain(scheduler, nest);
      write_neighbours(scheduler, nest);
      schedule_gpu_nest(scheduler, nest);
    }
    return place.first();
  }

 private:
  static std::int64_t row_elements(OpRef row) {
    std::int64_t most = 0;
    for (const OpRef inner : loops_in(row.region(0))) most = std::max(most, elements_of(inner));
    return most;
  }
  // Empty: threads of a block do as well.
  static std::string cause(const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    const OpRef row = chain.back();
    const std::int64_t rows = rows_of(chain);
    const std::int64_t elements = row_elements(row);
    if (one_thread_each(row, AlongLoop{ForRef::from(row)}) && (elements <= kShortRow || rows >= kEnoughThreads / 2))
      return "";
    if (reads_across(row) && saturating_mul(rows, elements) >= kManyElements)
      return "neighbouring threads read neighbours along " + loop_text(row);
    if (writes_across(chain)) return "neighbouring rows are written at neighbouring places, and read along a row";
    if (elements > kMostBlockRow)
      return std::to_string(elements) + " elements of a row are more than " + std::to_string(kMostBlockRow) +
             ", which a block keeps";
    if (rows < kEnoughBlocks && elements >= kFewestPart)
      return std::to_string(rows) + " rows are less than " + std::to_string(kEnoughBlocks) + " blocks";
    return "";
  }

  // Results of the rows are transposed: a row that is written along itself would have each element in another line.
  static bool writes_across(const std::vector<OpRef>& chain) {
    const bool is_apart = std::any_of(chain.begin(), chain.end(), [](OpRef loop) {
      return usual_extent(ForRef::from(loop)).value_or(kSquareTile) >= kSquareTile &&
             AlongLoop{ForRef::from(loop)}.stores.next > 0;
    });
    const std::vector<OpRef> inner = loops_in(chain.back().region(0));
    return is_apart && std::any_of(inner.begin(), inner.end(), [](OpRef loop) {
             const AlongLoop along{ForRef::from(loop)};
             return usual_extent(ForRef::from(loop)).value_or(kSquareTile) >= kSquareTile && !along.has_loops &&
                    along.stores.strided > 0 && along.stores.next == 0;
           });
  }

  // The loops that stand alone inside of each other and carry nothing are the grid.
  static void share_chain(Scheduler& scheduler, OpRef nest) {
    for (OpRef at = nest; at.valid(); at = only_loop_in(at)) {
      if (ForRef::from(at).carried_count() > 0) return;
      if (ForRef::from(at).kind() != LoopKind::Parallel && !scheduler.share(at)) return;
    }
  }
  // Of a nest that only touches single elements, the loop along which it writes neighbours becomes the innermost one.
  static void write_neighbours(Scheduler& scheduler, OpRef nest) {
    const std::vector<OpRef> chain = parallel_chain(nest);
    if (chain.size() < 2 || !loops_in(chain.back().region(0)).empty()) return;
    const auto writes = [](OpRef loop) { return AlongLoop{ForRef::from(loop)}.stores.next > 0; };
    const auto along = std::find_if(chain.rbegin(), chain.rend(), writes);
    if (along == chain.rend()) return;
    // The loops change places by what the ops say.
    for (auto at = along; at != chain.rbegin(); --at)
      if (!scheduler.interchange_with_inner(*at)) return;
  }
};

}  // namespace

const StrategyDef kNestPerLoopStrategy{
    .name = "nest-per-loop",
    .summary = "A nest for each loop of a row, where a block is too small for a row, or rows are columns.",
    .stage = Stage::Nest,
    .numerics = NumericsClass::Reassociate,
    .matches = NestPerLoop::matches,
    .why = NestPerLoop::why,
    .apply = NestPerLoop::apply,
};

}  // namespace mlgc::schedule
