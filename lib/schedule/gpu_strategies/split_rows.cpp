// split-rows: reductions of few rows, or of few columns in several dims: parts of a reduction are blocks of their own,
// or threads, and their results are combined in order.
#include <algorithm>

#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

struct SplitRows {
  // How many parts a row has, and terms of the outermost loop in each.
  struct Parts {
    std::int64_t count = 1, size = 0;
  };
  // The loop that reduces: alone in a row, or the nest itself, of several loops; invalid: there is none.
  static OpRef sum_of(const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.empty())
      return ForRef::from(site.loop).carried_count() > 0 && (site.along().has_loops || is_argument_loop(site.loop))
                 ? site.loop
                 : OpRef();
    const std::vector<OpRef> inner = loops_in(chain.back().region(0));
    const bool is_alone = inner.size() == 1 && inner[0].parent() == chain.back().region(0);
    return is_alone && ForRef::from(inner[0]).carried_count() > 0 ? inner[0] : OpRef();
  }
  static Parts parts_of(const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    const OpRef sum = sum_of(site);
    const std::int64_t rows = rows_of(chain);
    const bool across = !chain.empty() && reads_across(chain.back());
    const std::int64_t enough = across ? kEnoughThreads / 2 : kEnoughBlocks,
                       wanted = across ? kEnoughThreads : kPartBlocks, fewest = across ? kFewestPartRows : kFewestPart;
    const std::int64_t inside = std::max<std::int64_t>(elements_of(sum) / elements(sum), 1);
    // Threads compare elements, and search them again: those of a part stay in registers of few threads, so that some
    // blocks read while others are combined.
    const bool is_argument = static_cast<bool>(is_argument_loop(sum)) && !across && inside == 1;
    const auto extent = usual_extent(ForRef::from(sum));
    if (is_argument && extent.value_or(0) > kMostArgumentRow) {
      const std::int64_t even = ceil_div(*extent, ceil_div(*extent, kArgumentPart)),
                         size = ceil_div(even, kPartStep) * kPartStep;
      return {ceil_div(*extent, size), size};
    }
    if (rows < 1 || rows >= enough) return {};
    // Of terms in unknown number parts have few: there may be as many parts as are wanted.
    if (!extent) return {kPartBlocks, is_argument ? kArgumentPart : std::max<std::int64_t>(4 * fewest / inside, 1)};
    const std::int64_t count = std::min({ceil_div(wanted, rows), *extent * inside / fewest, *extent});
    if (count < 2) return {};
    std::int64_t size = ceil_div(*extent, count);
    if (!across && loops_in(sum.region(0)).empty()) size = ceil_div(size, kPartStep) * kPartStep;
    return {ceil_div(*extent, size), size};
  }
  static std::int64_t elements(OpRef loop) {
    return std::max<std::int64_t>(usual_extent(ForRef::from(loop)).value_or(kUsualRow), 1);
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    const OpRef sum = sum_of(site);
    if (!sum.valid()) return Match::other_kind<reason::kNotOneReduction>();
    if (!chain.empty() && AlongLoop{ForRef::from(chain.back())}.allocates)
      return Match::other_kind<reason::kRowsHaveScratch>();
    if (chain.size() > 1 && is_sum_of_products(ForRef::from(sum))) return Match::other_kind<reason::kIsContraction>();
    if (is_running(sum)) return Match::other_kind<reason::kRunningLoop>();
    if (parts_of(site).count < 2) return Match::no<reason::kEnoughRows>();
    if (!admits(scheduler.numerics(), vectorizing_changes(sum), true)) return Match::no<reason::kPartsReorderSum>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const Parts parts = parts_of(site);
    const OpRef sum = sum_of(site);
    return std::to_string(rows_of(parallel_chain(site.loop))) + " rows are too few for the device: " +
           (extent(sum) ? std::to_string(parts.count) + " parts of each, of " : "parts of each, of ") +
           std::to_string(parts.size) + " iterations of " + loop_text(sum);
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef sum = sum_of(site);
    const std::int64_t size = parts_of(site).size;
    const PlaceAmongLoops place(site.loop);
    const bool is_argument = static_cast<bool>(is_argument_loop(sum));
    if (!scheduler.take(is_argument ? "rfactor-argument" : "rfactor", sum, vectorizing_changes(sum),
                        scheduler.counts().tiled, [&] {
                          return is_argument ? rfactor_argument(sum, size, scheduler.facts())
                                             : rfactor(sum, size, scheduler.facts());
                        }))
      return Failure{scheduler.refused()};
    const std::vector<OpRef> nests = place.loops();
    for (const OpRef nest : nests) {
      const std::vector<OpRef> chain = parallel_chain(nest);
      // The results of parts are few, so that lanes may read them apart rather than each thread wait for all.
      if (nest == nests.back() && !chain.empty() && parts_of_row(chain.back()) > kShortRow) {
        ++scheduler.counts().parallel;
        // Of columns a block takes several, so that neighbouring threads read neighbours: a warp of threads each.
        if (!reads_across(chain.back()) || !combine_columns(scheduler, chain.back()))
          give_threads_inside(scheduler, chain.back(), 1);
      } else {
        divide(scheduler, nest);
      }
    }
    return place.first();
  }
  static bool combine_columns(Scheduler& scheduler, OpRef column) {
    const OpRef parts = loops_in(column.region(0)).front();
    const NumericsClass change = vectorizing_changes(parts);
    const std::int64_t threads =
        threads_for(parts_of_row(column), kReductionElements, kFewestReducing, kMostReducingInWarp);
    if (!scheduler.vectorize_in(parts, threads, change)) return false;
    if (change == NumericsClass::Reassociate) scheduler.narrow_sums(parts);
    return true;
  }
  static std::int64_t parts_of_row(OpRef row) {
    return usual_extent(ForRef::from(loops_in(row.region(0)).front())).value_or(kPartBlocks);
  }
};

}  // namespace

const StrategyDef kSplitRowsStrategy{
    .name = "split-rows",
    .summary = "Parts of the reductions of few rows on the whole device, then their results in order.",
    .stage = Stage::Nest,
    .numerics = NumericsClass::Reassociate,
    .matches = SplitRows::matches,
    .why = SplitRows::why,
    .apply = SplitRows::apply,
};

}  // namespace mlgc::schedule
