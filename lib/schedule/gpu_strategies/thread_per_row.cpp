// thread-per-row: a thread runs the loops of an iteration by itself, where they are short or threads read neighbours.
#include "loopir/nests.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct ThreadPerRow {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.empty()) return Match::other_kind<reason::kNotParallel>();
    const AlongLoop along{ForRef::from(chain.back())};
    if (!along.has_loops) return Match::other_kind<reason::kNoInnerLoop>();
    if (!one_thread_each(chain.back(), along)) return Match::no<reason::kLongNotCoalesced>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const OpRef row = parallel_chain(site.loop).back();
    const std::string text =
        iterations_text(row) + " hold " + number_of(loops_in(row.region(0)).size(), "loop") + " each";
    return is_columns(AlongLoop{ForRef::from(row)})
               ? text + ", in which neighbouring threads read neighbours"
               : text + ", of at most " + std::to_string(kShortRow) + " iterations";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    for (const OpRef inner : loops_in(parallel_chain(site.loop).back().region(0)))
      if (const ForRef of = ForRef::from(inner); of.carried_count() > 0 && is_sum_of_products(of) &&
                                                 extent(inner).value_or(kThreadSumTerms + 1) <= kThreadSumTerms)
        scheduler.narrow_sums(inner);
    return site.loop;
  }
};

}  // namespace

const StrategyDef kThreadPerRowStrategy{
    .name = "thread-per-row",
    .summary = "A thread an iteration, with the loops in it.",
    .stage = Stage::Grid,
    .numerics = NumericsClass::Reassociate,
    .matches = ThreadPerRow::matches,
    .why = ThreadPerRow::why,
    .apply = ThreadPerRow::apply,
};

}  // namespace mlgc::schedule
