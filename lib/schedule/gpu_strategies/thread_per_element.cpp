// thread-per-element: iterations of parallel loops that hold no other loop are threads as they are.
#include "loopir/nests.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct ThreadPerElement {
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.empty()) return Match::other_kind<reason::kNotParallel>();
    if (AlongLoop{ForRef::from(chain.back())}.has_loops) return Match::other_kind<reason::kHasInnerLoops>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    return number_of(chain.size(), "parallel loop") + " down to " + iterations_text(chain.back()) +
           " hold no other one";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    return site.loop;
  }
};

}  // namespace

const StrategyDef kThreadPerElementStrategy{
    .name = "thread-per-element",
    .summary = "A thread an element.",
    .stage = Stage::Grid,
    .matches = ThreadPerElement::matches,
    .why = ThreadPerElement::why,
    .apply = ThreadPerElement::apply,
};

}  // namespace mlgc::schedule
