// thread-per-row: a thread runs the loops of an iteration by itself, where they are short or threads read neighbours.
#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

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
      if (ForRef::from(inner).carried_count() > 0 && (is_short(inner) || is_short_product(inner)))
        scheduler.narrow_sums(inner);
    return site.loop;
  }

 private:
  // A few terms, as of a window: a conversion of each would take longer than to read it.
  static bool is_short(OpRef sum) {
    std::int64_t terms = 1;
    for (const OpRef loop : loops_of(sum)) terms = saturating_mul(terms, extent(loop).value_or(kThreadShortSum + 1));
    return terms <= kThreadShortSum;
  }
  static bool is_short_product(OpRef sum) {
    return is_sum_of_products(ForRef::from(sum)) && extent(sum).value_or(kThreadSumTerms + 1) <= kThreadSumTerms;
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
