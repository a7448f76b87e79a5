// See gpu_schedule.h.
#include "schedule/gpu_schedule.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "analysis/loop_access.h"
#include "ir/function_facts.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "schedule/along_loop.h"
#include "schedule/contraction.h"
#include "schedule/gpu_sites.h"
#include "schedule/loop_edit.h"
#include "schedule/order_loops.h"
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"
#include "support/saturating.h"

namespace mlgc {

namespace schedule {

// Whether a load of memory of the device, at any depth, is of neighbours along the loop.
static bool reads_along(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  const auto varying = varying_values(of);
  TypePool& types = loop.module().context().types();
  return !walk(loop, [&](OpRef op) {
    if (!op.is(LoopOp::Load) || types.scope(LoadRef::from(op).buffer().type()) == Scope::Thread)
      return WalkResult::Continue;
    return along(op, of, varying) == Along::Next ? WalkResult::Stop : WalkResult::Continue;
  });
}

// Of rows whose elements are apart in memory, the loop along which neighbouring rows are read at neighbouring places
// becomes the innermost one: its iterations are threads next to each other.
static void read_neighbours(Scheduler& scheduler, OpRef nest) {
  const std::vector<OpRef> chain = parallel_chain(nest);
  if (chain.size() < 2 || loops_in(chain.back().region(0)).empty() || reads_along(chain.back())) return;
  const bool reads_rows = !walk(chain.back(), [&](OpRef op) {
    const bool reads = op != chain.back() && ForRef::from(op).valid() && reads_along(op);
    return reads ? WalkResult::Stop : WalkResult::Continue;
  });
  if (reads_rows) return;
  const auto across = std::find_if(chain.rbegin() + 1, chain.rend(), reads_along);
  if (across == chain.rend()) return;
  // The loops change places by what the ops say.
  for (auto at = across; at != chain.rbegin(); --at)
    if (!scheduler.interchange_with_inner(*at)) return;
}

// Loops whose index is divided for what the matrix unit could multiply, as by the channels of a group, become two.
static void split_divided_loops(Scheduler& scheduler, OpRef nest) {
  const std::vector<OpRef> sums = sums_in(nest);
  const bool multiplies = std::any_of(sums.begin(), sums.end(), [](OpRef sum) {
    const std::vector<OpRef> loads = loads_in(sum);
    return loads.size() == 2 && std::all_of(loads.begin(), loads.end(), [](OpRef load) {
             return load.result().dtype() == Dtype::BF16 || load.result().dtype() == Dtype::F16;
           });
  });
  if (!multiplies || !scheduler.may_reassociate()) return;
  for (const OpRef loop : loops_of(nest))
    if (const auto size = divisor_in_subscripts(loop)) {
      const LoopKind kind = ForRef::from(loop).kind();
      if (scheduler.take("split-quotients", loop, NumericsClass::Exact, scheduler.counts().tiled,
                         [&] { return split_quotients(loop, *size, scheduler.facts()); }))
        ForRef::from(loop).set_kind(kind);
    }
}

// Extrema with positions that stand beside other reductions, or in loops that store, get loops of their own: threads
// share such a loop by two reductions.
static void isolate_arguments(Scheduler& scheduler, OpRef nest) {
  if (!admits(scheduler.numerics(), NumericsClass::SignedZero, true)) return;
  std::vector<OpRef> found;
  walk(nest, [&](OpRef op) {
    const ForRef loop = ForRef::from(op);
    if (loop.valid() && loop.carried_count() > 1 && loops_in(loop.body()).empty()) found.push_back(op);
  });
  for (OpRef loop : found)
    while (loop.valid()) {
      const PlaceAmongLoops place(loop);
      if (!scheduler.take("isolate-argument", loop, NumericsClass::Exact, scheduler.counts().tiled,
                          [&] { return isolate_argument(loop); }))
        break;
      loop = place.first();
      if (ForRef::from(loop).carried_count() < 2) break;
    }
}

// Reductions of the same elements side by side are one loop, at any depth.
static void merge_reductions_in(Scheduler& scheduler, RegionRef region) {
  std::vector<OpRef> loops;
  for (const OpRef op : region.ops())
    if (ForRef::from(op).valid()) loops.push_back(op);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (ForRef::from(loops[i]).carried_count() == 0) {
      merge_reductions_in(scheduler, loops[i].region(0));
      continue;
    }
    for (std::size_t j = i + 1; j < loops.size();) {
      const PlaceAmongLoops place(loops[i]);
      if (ForRef::from(loops[j]).carried_count() > 0 &&
          scheduler.take("merge-reductions", loops[i], NumericsClass::Exact, scheduler.counts().tiled,
                         [&] { return merge_reductions(loops[i], loops[j]); })) {
        loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(j));
        loops[i] = place.first();
      } else {
        ++j;
      }
    }
  }
}

// Rows that reduce nothing are elements, if what their loops leave each other is computed again.
static void separate_elements(Scheduler& scheduler, OpRef nest) {
  const std::vector<OpRef> chain = parallel_chain(nest);
  if (chain.empty()) return;
  const bool reduces = !walk(chain.back(), [](OpRef op) {
    const ForRef loop = ForRef::from(op);
    return op.is(LoopOp::While) || (loop.valid() && loop.carried_count() > 0) ? WalkResult::Stop : WalkResult::Continue;
  });
  if (reduces) return;
  recompute_cheap_scratch(scheduler, chain.back());
  const RegionRef row = chain.back().region(0);
  const OpRef only = row.empty() ? OpRef() : row.front();
  if (!only.valid() || !ForRef::from(only).valid() || !loops_in(only.region(0)).empty()) return;
  if (const OpRef next = only.next(); !next.valid() || next.is(LoopOp::Yield)) (void)scheduler.share(only);
}

// The position of an extremum among the elements of several loops that cannot become one: the extremum and the position
// are searched each by itself, in the order of memory.
static void split_arguments_of_nests(Scheduler& scheduler, OpRef nest) {
  if (!admits(scheduler.numerics(), NumericsClass::SignedZero, true)) return;
  std::vector<OpRef> found;
  walk(nest, [&](OpRef op) {
    const ForRef loop = ForRef::from(op);
    if (loop.valid() && !loops_in(loop.body()).empty() && is_argument_loop(op)) found.push_back(op);
  });
  for (const OpRef loop : found) {
    scheduler.collapse_all(loop);
    if (loops_in(loop.region(0)).empty()) continue;
    const PlaceAmongLoops place(loop);
    if (!scheduler.take("split-argument", loop, NumericsClass::SignedZero, scheduler.counts().tiled,
                        [&] { return split_argument(loop); }))
      continue;
    for (const OpRef made : place.loops()) order_loops(scheduler, made);
  }
}

void schedule_gpu_nest(Scheduler& scheduler, OpRef nest) {
  split_divided_loops(scheduler, nest);
  read_neighbours(scheduler, nest);
  if (!scheduler.choose(Stage::Nest, nest)) divide(scheduler, nest);
}

void divide(Scheduler& scheduler, OpRef nest) {
  if (parallel_chain(nest).empty() && ForRef::from(nest).carried_count() == 0) (void)scheduler.share(nest);
  if (parallel_chain(nest).empty()) return give_threads(scheduler, nest);  // of one block
  ++scheduler.counts().parallel;
  (void)scheduler.choose(Stage::Grid, nest);
}

void give_threads(Scheduler& scheduler, OpRef loop, std::int64_t elements) {
  if (scheduler.choose(Stage::Lanes, loop, elements)) return;
  const std::vector<OpRef> inner = loops_in(loop.region(0));
  if (inner.empty()) scheduler.leave_serial(loop, scheduler.declined());
  for (const OpRef op : inner) give_threads(scheduler, op, elements);
}

void give_threads_inside(Scheduler& scheduler, OpRef row, std::int64_t elements) {
  for (const OpRef inner : loops_in(row.region(0))) give_threads(scheduler, inner, elements);
}

std::int64_t rows_of(std::span<const OpRef> chain) {
  std::int64_t rows = 1;
  for (const OpRef loop : chain) rows = saturating_mul(rows, usual_extent(ForRef::from(loop)).value_or(kUsualRow));
  return rows;
}

std::int64_t elements_of(OpRef loop) {
  std::int64_t inside = 1;
  for (const OpRef inner : loops_in(loop.region(0))) inside = std::max(inside, elements_of(inner));
  return saturating_mul(usual_extent(ForRef::from(loop)).value_or(kUsualRow), inside);
}

bool reads_across(OpRef row) {
  const AlongLoop along{ForRef::from(row)};
  return !along.launches && along.loads.next > 0 && along.inner_loads.apart() == 0 && along.stores.apart() == 0;
}

bool is_columns(const AlongLoop& along) {
  return !along.allocates && !along.launches && along.loads.next > 0 && along.inner_loads.apart() == 0 &&
         along.stores.apart() == 0;
}

// Whether scratch of a row is small enough for a thread.
static bool thread_has_scratch(OpRef row) {
  IndexPool& pool = row.module().context().index();
  std::int64_t bytes = 0;
  walk(row, [&](OpRef op) {
    if (!op.is(LoopOp::Alloc)) return;
    auto own = static_cast<std::int64_t>(dtype_info(op.result().dtype()).bytes);
    for (const IndexExpr dim : op.result().dims())
      own = saturating_mul(own, pool.as_constant(dim).value_or(kMostThreadScratch + 1));
    bytes = saturating_add(bytes, own);
  });
  return bytes <= kMostThreadScratch;
}

// Scratch that costs more to keep in memory than to compute twice.
static bool is_cheap(OpRef alloc) {
  std::size_t stored_depth = 0, loaded_depth = 0;
  std::int64_t loads = 0, work = 0, read = 0;
  for (const OpRef user : alloc.result().users()) {
    std::size_t depth = 0;
    for (OpRef at = user.parent_op(); at.valid() && at != alloc.parent_op(); at = at.parent_op())
      if (ForRef::from(at).valid()) ++depth;  // in an arm of a branch less is computed, not more
    if (user.is(LoopOp::Load)) {
      ++loads;
      loaded_depth = std::max(loaded_depth, depth);
      continue;
    }
    stored_depth = depth;
    for (const OpRef op : user.parent().ops()) {
      if (op.is(LoopOp::Load)) ++read;
      if (only_computes(op) && op.result_count() == 1 && !op.is(LoopOp::Load)) work += work_of(op);
    }
  }
  return loads <= kMostRecomputedLoads && loaded_depth <= stored_depth && work <= kMostRecomputedWork &&
         read <= kMostRecomputedReads;
}

void recompute_cheap_scratch(Scheduler& scheduler, OpRef row) {
  std::vector<OpRef> allocs;
  for (const OpRef op : row.region(0).ops())
    if (op.is(LoopOp::Alloc)) allocs.push_back(op);
  for (const OpRef alloc : allocs)
    if (is_cheap(alloc))
      (void)scheduler.take("recompute", alloc, NumericsClass::Exact, scheduler.counts().staged,
                           [&] { return recompute(alloc); });
}

// Of no more iterations than a thread takes by itself; as of windows of adaptive pools their number may differ.
static bool is_short(OpRef loop) {
  if (const auto count = extent(loop)) return *count <= kShortRow;
  const ForRef of = ForRef::from(loop);
  IndexPool& pool = loop.module().context().index();
  if (is_size(pool, pool.sub(over_values(loop, of.last()), over_values(loop, of.first())))) return false;
  FunctionFacts facts;
  LoopAccess shown(loop.module().context(), facts.of(loop));
  shown.enter_around(loop);
  return shown.is_known(pool.sub(pool.constant(kShortRow), shown.over_loops(loop, pool.sub(of.last(), of.first()))));
}

bool one_thread_each(OpRef row, const AlongLoop& along) {
  if (along.launches || (along.allocates && !thread_has_scratch(row))) return false;
  if (along.allocates ? reads_across(row) : is_columns(along)) return true;
  return walk(row, [&](OpRef op) {
    return op != row && ForRef::from(op).valid() && !is_short(op) ? WalkResult::Stop : WalkResult::Continue;
  });
}

std::int64_t threads_for(std::int64_t count, std::int64_t elements, std::int64_t fewest, std::int64_t most) {
  const std::int64_t wanted = std::clamp(count / elements, fewest, most);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wanted)));
}

}  // namespace schedule

using namespace schedule;

ScheduleCounts schedule_for_gpu(OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate,
                                TransformReview* review, const ScheduleRequest& request) {
  Scheduler scheduler(MachineKind::Gpu, func, numerics, facts, gate, review, request);
  const auto for_each_nest = [&](const auto& visit) {
    for (const OpRef nest : loops_in(func.region(0)))
      if (!is_scheduled(nest)) visit(nest);
  };
  for_each_nest([&](OpRef nest) { isolate_arguments(scheduler, nest); });
  for_each_nest([&](OpRef nest) { separate_elements(scheduler, nest); });
  for_each_nest([&](OpRef nest) { order_loops(scheduler, nest); });
  for_each_nest([&](OpRef nest) { split_arguments_of_nests(scheduler, nest); });
  for_each_nest([&](OpRef nest) { scheduler.collapse_all(nest); });
  merge_reductions_in(scheduler, func.region(0));
  scheduler.make_flat();
  for (const OpRef nest : loops_in(func.region(0)))
    if (!is_scheduled(nest)) schedule_gpu_nest(scheduler, nest);
  scheduler.fuse_products();
  return scheduler.counts();
}

}  // namespace mlgc
