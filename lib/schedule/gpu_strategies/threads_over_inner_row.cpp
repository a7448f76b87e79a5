// threads-over-inner-row: a reduction in several loops, the innermost over neighbouring elements: it becomes the
// outermost, so that each thread adds over all loops, and threads are combined once.
#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct ThreadsOverInnerRow {
  // The loops from the site's on, each alone in the one around it, that take one reduction further.
  static std::vector<OpRef> nested(const Site& site) {
    std::vector<OpRef> out;
    for (OpRef at = site.loop; at.valid() && ForRef::from(at).carried_count() > 0; at = only_loop_in(at))
      out.push_back(at);
    return out;
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> loops = nested(site);
    if (loops.size() < 2) return Match::other_kind<reason::kNotNestedReduction>();
    if (!loops_in(loops.back().region(0)).empty()) return Match::other_kind<reason::kOtherInnerLoops>();
    const ForRef inner = ForRef::from(loops.back());
    if (AlongLoop{inner}.loads.next == 0) return Match::no<reason::kInnermostNotContiguous>();
    if (usual_extent(inner).value_or(kWarp) < kWarp) return Match::no<reason::kFewerThanWarp>(count_text(inner.op()));
    if (!admits(scheduler.numerics(), vectorizing_changes(loops.front()), true))
      return Match::no<reason::kLanesReorderSum>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> loops = nested(site);
    return iterations_text(loops.back()) + " are threads, each of which reduces along " + loop_text(loops.front());
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> loops = nested(site);
    const NumericsClass change = vectorizing_changes(site.loop);
    for (std::size_t i = loops.size() - 1; i-- > 0;)
      if (!scheduler.take("interchange", loops[i], change, scheduler.counts().tiled,
                          [&] { return interchange(loops[i], scheduler.facts()); }))
        return Failure{scheduler.refused()};
    const OpRef outer = site.loop;  // over neighbours now
    if (!scheduler.take("privatize", outer, change, scheduler.counts().tiled, [&] { return privatize(outer); }))
      return Failure{scheduler.refused()};
    const std::int64_t threads =
        threads_for(usual_extent(ForRef::from(outer)).value_or(kUsualReducedRow), 1, kFewestReducing, kElementThreads);
    if (!scheduler.vectorize_in(outer, threads, change)) return Failure{scheduler.refused()};
    if (change == NumericsClass::Reassociate) scheduler.narrow_sums(outer);
    return outer;
  }
};

}  // namespace

const StrategyDef kThreadsOverInnerRowStrategy{
    .name = "threads-over-inner-row",
    .summary = "The innermost of several loops of a reduction becomes the outermost, in the threads of a block.",
    .stage = Stage::Lanes,
    .numerics = NumericsClass::Reassociate,
    .matches = ThreadsOverInnerRow::matches,
    .why = ThreadsOverInnerRow::why,
    .apply = ThreadsOverInnerRow::apply,
};

}  // namespace mlgc::schedule
