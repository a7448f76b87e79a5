// threads-over-row: the lanes of a loop are the threads of a block.
#include <algorithm>
#include <bit>

#include "loopir/nests.h"
#include "machine/cuda_threads.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

struct ThreadsOverRow {
  // Of a loop that accesses no neighbours in memory: a loop before it with threads, which leaves it scratch. The same
  // threads keep its elements in registers. Invalid: there is none.
  static ForRef same_threads(const Site& site) {
    const ForRef loop = ForRef::from(site.loop);
    TypePool& types = site.loop.module().context().types();
    if (site.along().has_loops || iterations_at_a_time(site.loop) > 1) return {};
    for (const OpRef op : loop.body().ops()) {
      if (!op.is(LoopOp::Load) || types.scope(LoadRef::from(op).buffer().type()) != Scope::Thread) continue;
      for (const OpRef user : LoadRef::from(op).buffer().users()) {
        const ForRef other = ForRef::from(user.parent_op());
        if (other.valid() && other.op() != site.loop && other.kind() == LoopKind::Vector &&
            other.op().parent() == site.loop.parent() && other.first() == loop.first() && other.last() == loop.last())
          return other;
      }
    }
    return {};
  }
  static std::int64_t threads_of(const Site& site) {
    const ForRef loop = ForRef::from(site.loop);
    if (const ForRef same = same_threads(site); same.valid()) return same.lanes();
    const auto count = usual_extent(loop);
    if (site.elements == 0 && site.along().has_loops) return threads_for(count.value_or(kUsualRow), 1);
    if (is_of_warp(site)) return threads_in_warp(*count);
    if (const std::int64_t each = at_a_time(site); each > 1)
      return threads_for(count.value_or(kUsualReducedRow), std::max(kPiecesOfRow * each, kReductionElements),
                         kMostReducingInWarp, most_reducing(count));
    // Elements one by one: few threads with several loads in flight each wait less for each other than many do.
    const std::int64_t elements = site.elements != 0 ? site.elements : count ? kSingleElements : kReductionElements;
    return loop.carried_count() > 0
               ? threads_for(count.value_or(kUsualReducedRow), elements, kMostReducingInWarp, most_reducing(count))
               : threads_for(count.value_or(kUsualRow), elements);
  }
  // Of fewer threads each has more registers beside those that it needs by itself: so many that a block keeps the row.
  static std::int64_t most_reducing(std::optional<std::int64_t> row) {
    for (std::int64_t threads = kMostReducing; threads >= kMostReducing / 2; threads /= 2)
      if (row.value_or(0) <= threads * most_words_of_thread(threads)) return threads;
    return kMostReducing;
  }
  // A warp takes the row, or a part of a warp takes a short one; iterations with loops of their own are work for
  // threads.
  static bool is_of_warp(const Site& site) {
    return site.elements == 0 && !site.along().has_loops &&
           usual_extent(ForRef::from(site.loop)).value_or(kUsualReducedRow) <= kRowOfWarp;
  }
  static std::int64_t threads_in_warp(std::int64_t row) {
    return threads_for(row, kReductionElements, kFewestReducing, kMostReducingInWarp);
  }
  // Neighbours that a thread takes at a time; fewer where a row would leave threads without any.
  static std::int64_t at_a_time(const Site& site) {
    if (site.elements == 1) return 1;
    if (const ForRef same = same_threads(site); same.valid()) return same.per_lane();
    const auto row = usual_extent(ForRef::from(site.loop)).value_or(kUsualReducedRow);
    const std::int64_t threads = is_of_warp(site) ? threads_in_warp(row) : kMostReducingInWarp;
    const std::int64_t all = std::max<std::int64_t>(row / threads, 1);
    const std::int64_t most = std::min(iterations_at_a_time(site.loop),
                                       static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(all))));
    return aligned_at_a_time(site.loop, most);
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    const AlongLoop& along = site.along();
    const bool whole = !along.has_loops || (ForRef::from(site.loop).carried_count() == 0 && along.loads.next > 0 &&
                                            along.inner_loads.apart() == 0);
    if (!whole) return Match::other_kind<reason::kInnerLoopsNotCoalesced>();
    if (!admits(scheduler.numerics(), vectorizing_changes(site.loop), true))
      return Match::no<reason::kLanesReorderSum>();
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const std::int64_t each = at_a_time(site);
    return iterations_text(site.loop) + " take " + std::to_string(threads_of(site)) + " threads" +
           (each > 1 ? ", " + std::to_string(each) + " neighbours each at a time" : "");
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const NumericsClass change = vectorizing_changes(site.loop);
    if (!scheduler.vectorize_in(site.loop, threads_of(site), change, at_a_time(site)))
      return Failure{scheduler.refused()};
    if (change == NumericsClass::Reassociate) scheduler.narrow_sums(site.loop);
    return site.loop;
  }
};

}  // namespace

const StrategyDef kThreadsOverRowStrategy{
    .name = "threads-over-row",
    .summary = "The iterations of a loop are dealt out to the threads of a block.",
    .stage = Stage::Lanes,
    .numerics = NumericsClass::Reassociate,
    .matches = ThreadsOverRow::matches,
    .why = ThreadsOverRow::why,
    .apply = ThreadsOverRow::apply,
};

}  // namespace mlgc::schedule
