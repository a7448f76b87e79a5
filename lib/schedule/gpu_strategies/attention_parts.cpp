// attention-parts: few queries over many keys. A part of a warp takes a query through a part of the keys, with each key
// and value across its threads; then what the parts give is combined.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "loopir/nests.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

struct AttentionParts {
  static constexpr std::int64_t kMostWidth = 256;  // of a head: 8 sums of a column a thread, in a warp

  static Match matches(const Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    if (chain.empty()) return Match::other_kind<reason::kNotParallel>();
    const OpRef row = chain.back();
    if (loops_in(row.region(0)).size() < 2) return Match::other_kind<reason::kNotSeveralLoops>();
    if (const TransformResult may = may_split_keys(row); !may) return Match::other_kind(may.error());
    if (!scheduler.may_reassociate()) return Match::no<reason::kPartsReorderSum>();
    const WeightedRow of = weighted_row(row);
    if (!loops_in(of.terms.region(0)).empty()) return Match::no<reason::kHasInnerLoops>();
    for (const OpRef loop : {of.terms, of.columns})
      if (extent(loop).value_or(kMostWidth + 1) > kMostWidth) return Match::no<reason::kWideHead>(kMostWidth);
    if (const std::int64_t queries = queries_of(chain, of); queries >= kFewestTiledQueries)
      return Match::no<reason::kManyQueries>(queries, kFewestTiledQueries);
    const ForRef columns = ForRef::from(of.columns);
    if (AlongLoop{ForRef::from(of.terms)}.loads.apart() > 0 ||
        along(of.value, columns, varying_values(columns)) != Along::Next)
      return Match::no<reason::kLongNotCoalesced>();
    return Match::yes();
  }
  // Iterations of the loops along which neither keys nor values differ.
  static std::int64_t queries_of(const std::vector<OpRef>& chain, const WeightedRow& of) {
    std::int64_t queries = 1;
    for (const OpRef loop : chain) {
      const auto varying = varying_values(ForRef::from(loop));
      const bool differs = std::any_of(of.value.operands().begin(), of.value.operands().end(),
                                       [&](Value v) { return varying.contains(v.id()); });
      if (!differs) queries = saturating_mul(queries, usual_extent(ForRef::from(loop)).value_or(kUsualRow));
    }
    return queries;
  }

  // Neighbours of a thread at a time, and threads, of a loop over a key, a value, or the sums of a query.
  struct Threads {
    std::int64_t each = 1, count = 2;
  };
  static Threads threads_of(OpRef loop) {
    const std::int64_t width = extent(loop).value_or(kMostWidth);
    std::int64_t each = aligned_at_a_time(loop, iterations_at_a_time(loop));
    while (each > 1 && 2 * each > width) each /= 2;
    return {each, threads_for(width + each - 1, each, 2, kWarp)};
  }
  // Steps of a part; 0: rows are not divided.
  static std::int64_t steps_of(const std::vector<OpRef>& chain, const WeightedRow& of) {
    const auto keys = extent(of.scores);
    const std::int64_t bytes = extent(of.columns).value_or(kMostWidth) *
                               static_cast<std::int64_t>(dtype_info(of.value.result().dtype()).bytes);
    const std::int64_t threads = threads_for(bytes, kPieceBytes, 2, kWarp);
    const std::int64_t rows = rows_of(chain);
    const std::int64_t wanted = rows < 1 ? 1 : ceil_div(kPartThreads, saturating_mul(rows, threads));
    if (wanted < 2) return 0;
    if (!keys) return kUsualPartKeys / kKeysAtATime;
    const std::int64_t parts = std::min(wanted, *keys / kFewestPartKeys);
    if (parts < 2) return 0;
    // Parts that keys fill ask of no key whether it is there.
    const std::int64_t steps = ceil_div(*keys, parts * kKeysAtATime);
    for (std::int64_t fewer = steps; fewer >= steps - steps / 3; --fewer)
      if (*keys % (fewer * kKeysAtATime) == 0) return fewer;
    return steps;
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    const WeightedRow of = weighted_row(chain.back());
    const std::int64_t steps = steps_of(chain, of);
    std::string text = "few queries share " + iterations_text(of.scores) + ", " + std::to_string(kKeysAtATime) +
                       " of which go at a time";
    if (steps > 0) text += ", in parts of " + std::to_string(steps * kKeysAtATime);
    return text;
  }

  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const std::vector<OpRef> chain = parallel_chain(site.loop);
    const OpRef row = chain.back();
    const std::int64_t steps = steps_of(chain, weighted_row(row));
    const PlaceAmongLoops place(site.loop);
    if (!scheduler.take("split-keys", row, NumericsClass::Reassociate, scheduler.counts().tiled,
                        [&] { return split_keys(row, kKeysAtATime, steps); }))
      return Failure{scheduler.refused()};
    const std::vector<OpRef> nests = place.loops();
    if (!give_lanes(scheduler, nests.front())) return Failure{scheduler.refused()};
    if (steps > 0 && !combine(scheduler, nests.back())) return Failure{scheduler.refused()};
    return place.first();
  }
  // The loops over keys, values and sums: those over columns have the same lanes, so that sums stay in registers.
  static bool give_lanes(Scheduler& scheduler, OpRef nest) {
    ++scheduler.counts().parallel;
    const std::vector<OpRef> loops = loops_in(parallel_chain(nest).back().region(0));  // zeros, steps, results
    const std::vector<OpRef> inner = loops_in(loops[1].region(0));
    const Threads threads = threads_of(inner.back());
    for (const OpRef loop : {loops.front(), inner.back(), loops.back()})
      if (!scheduler.vectorize_in(loop, threads.count, NumericsClass::Exact, threads.each)) return false;
    for (const OpRef loop : inner) {
      if (loop == inner.back()) continue;
      const Threads of_terms = threads_of(loop);
      if (!scheduler.vectorize_in(loop, of_terms.count, vectorizing_changes(loop), of_terms.each)) return false;
      scheduler.narrow_sums(loop);
    }
    return true;
  }
  // Columns are rows of a nest then; many parts of one are threads.
  static bool combine(Scheduler& scheduler, OpRef nest) {
    const OpRef row = parallel_chain(nest).back();
    const std::vector<OpRef> columns = loops_in(row.region(0));
    if (columns.size() == 1 && columns[0].parent() == row.region(0)) (void)scheduler.share(columns[0]);
    const OpRef element = parallel_chain(nest).back();
    const std::vector<OpRef> sums = loops_in(element.region(0));
    if (element == row || usual_extent(ForRef::from(sums.front())).value_or(kUsualRow) <= kShortRow) {
      divide(scheduler, nest);
      return true;
    }
    ++scheduler.counts().parallel;
    return std::all_of(sums.begin(), sums.end(),
                       [&](OpRef sum) { return scheduler.vectorize_in(sum, kPartLanes, vectorizing_changes(sum)); });
  }
};

}  // namespace

const StrategyDef kAttentionPartsStrategy{
    .name = "attention-parts",
    .summary = "A part of a warp a query and a part of the keys, some keys at a time; then their results.",
    .stage = Stage::Nest,
    .numerics = NumericsClass::Reassociate,
    .matches = AttentionParts::matches,
    .why = AttentionParts::why,
    .apply = AttentionParts::apply,
};

}  // namespace mlgc::schedule
