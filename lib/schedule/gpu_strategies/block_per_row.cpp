// block-per-row: a block a row and what it reduces; the loops inside have the lanes, which are its threads.
#include "loopir/nests.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct BlockPerRow {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.empty()) return Match::other_kind<reason::kNotParallel>();
    const AlongLoop along{ForRef::from(chain.back())};
    if (!along.has_loops) return Match::other_kind<reason::kNoInnerLoop>();
    if (one_thread_each(chain.back(), along)) return Match::no<reason::kShortOrCoalesced>(kShortRow);
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const OpRef row = parallel_chain(site.loop).back();
    return iterations_text(row) + " hold " + number_of(loops_in(row.region(0)).size(), "loop") +
           " each, of more than " + std::to_string(kShortRow) + " iterations";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    give_threads_inside(scheduler, parallel_chain(site.loop).back());
    return site.loop;
  }
};

}  // namespace

const StrategyDef kBlockPerRowStrategy{
    .name = "block-per-row",
    .summary = "A block a row; the loops of a row run in its threads.",
    .stage = Stage::Grid,
    .numerics = NumericsClass::Reassociate,
    .matches = BlockPerRow::matches,
    .why = BlockPerRow::why,
    .apply = BlockPerRow::apply,
};

}  // namespace mlgc::schedule
