// extremum-then-position: the argument of an extremum in the threads of a block: they find the extremum, and then the
// least position of what equals it. What a thread has read for the one it keeps for the other.
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct ExtremumThenPosition {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    if (ForRef::from(site.loop).carried_count() != 2) return Match::other_kind<reason::kNotTwoCarried>();
    if (const TransformResult is = is_argument_loop(site.loop); !is) return Match::other_kind(is.error());
    const auto count = extent(site.loop);
    if (!site.along().has_loops && count && *count < kFewestArgumentTerms) return Match::no<reason::kTooShort>();
    if (!admits(scheduler.numerics(), NumericsClass::SignedZero, true)) return Match::no<reason::kZeroSign>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return iterations_text(site.loop) + " are compared by threads that need not know the positions, and then searched";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef around = site.loop.parent_op();
    const PlaceAmongLoops place(site.loop);
    if (!scheduler.take("split-argument", site.loop, NumericsClass::SignedZero, scheduler.counts().tiled,
                        [&] { return split_argument(site.loop); }))
      return Failure{scheduler.refused()};
    for (const OpRef loop : place.loops()) give_threads(scheduler, loop, site.elements);
    return outermost_in(around, place.first());
  }
};

}  // namespace

const StrategyDef kExtremumThenPositionInThreadsStrategy{
    .name = "extremum-then-position",
    .summary = "Threads find the best of the values, then the first position of what equals it.",
    .stage = Stage::Lanes,
    .numerics = NumericsClass::SignedZero,
    .matches = ExtremumThenPosition::matches,
    .why = ExtremumThenPosition::why,
    .apply = ExtremumThenPosition::apply,
};

}  // namespace mlgc::schedule
