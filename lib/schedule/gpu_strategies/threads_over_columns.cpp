// threads-over-columns: columns of some hundred elements with several loops each, as softmax along another axis than
// the last one has: some threads take a column, each with its part in registers, so that memory is read once.
#include <algorithm>

#include "loopir/nests.h"
#include "ops/combine.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct ThreadsOverColumns {
  // The most elements of a loop of a column; more than are kept where one is not known.
  static std::int64_t elements_of_column(OpRef column) {
    std::int64_t most = 0;
    for (const OpRef inner : loops_in(column.region(0)))
      most = std::max(most, extent(inner).value_or(kMostColumnRow + 1));
    return most;
  }
  // Whether threads may share the loop: what it carries is reduced, and what it leaves in memory it does not read.
  static bool only_reduces(const Scheduler& scheduler, OpRef loop) {
    if (is_argument_loop(loop)) return admits(scheduler.numerics(), NumericsClass::SignedZero, true);
    const ForRef of = ForRef::from(loop);
    for (std::size_t i = 0; i < of.carried_count(); ++i)
      if (!carried_step(of, i)) return false;
    return !is_running(loop);
  }
  static std::int64_t threads_of(OpRef column) {
    return threads_for(elements_of_column(column), kColumnElements, kFewestReducing, kMostReducingInWarp);
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.empty()) return Match::other_kind<reason::kNotParallel>();
    const OpRef column = chain.back();
    const std::vector<OpRef> inner = loops_in(column.region(0));
    if (inner.size() < 2) return Match::other_kind<reason::kNotSeveralLoops>();
    if (!reads_across(column)) return Match::other_kind<reason::kInnerLoopsNotCoalesced>();
    for (const OpRef loop : inner) {
      if (loop.parent() != column.region(0) || !loops_in(loop.region(0)).empty())
        return Match::no<reason::kOtherInnerLoops>();
      if (!only_reduces(scheduler, loop)) return Match::no<reason::kRunningLoop>();
      if (!admits(scheduler.numerics(), vectorizing_changes(loop), true)) return Match::no<reason::kLanesReorderSum>();
    }
    const std::int64_t elements = elements_of_column(column);
    if (elements <= kShortRow || elements > kMostColumnRow)
      return Match::no<reason::kColumnNotInRegisters>(elements, kMostColumnRow);
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const OpRef column = parallel_chain(site.loop).back();
    return iterations_text(column) + " hold " + number_of(loops_in(column.region(0)).size(), "loop") + " each, which " +
           std::to_string(threads_of(column)) + " threads share and keep in registers";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef column = parallel_chain(site.loop).back();
    recompute_cheap_scratch(scheduler, column);
    for (const OpRef loop : loops_in(column.region(0)))
      if (is_argument_loop(loop) && !scheduler.take("split-argument", loop, NumericsClass::SignedZero,
                                                    scheduler.counts().tiled, [&] { return split_argument(loop); }))
        return Failure{scheduler.refused()};
    ++scheduler.counts().parallel;
    const std::int64_t threads = threads_of(column);
    for (const OpRef loop : loops_in(column.region(0))) {
      const NumericsClass change = vectorizing_changes(loop);
      if (!scheduler.vectorize_in(loop, threads, change)) return Failure{scheduler.refused()};
      if (change == NumericsClass::Reassociate) scheduler.narrow_sums(loop);
    }
    return site.loop;
  }
};

}  // namespace

const StrategyDef kThreadsOverColumnsStrategy{
    .name = "threads-over-columns",
    .summary = "Some threads a column with several loops, each with its part of the column in registers.",
    .stage = Stage::Nest,
    .numerics = NumericsClass::Reassociate,
    .matches = ThreadsOverColumns::matches,
    .why = ThreadsOverColumns::why,
    .apply = ThreadsOverColumns::apply,
};

}  // namespace mlgc::schedule
