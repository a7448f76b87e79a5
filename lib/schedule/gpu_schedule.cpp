// See gpu_schedule.h.
#include "schedule/gpu_schedule.h"

#include <algorithm>
#include <bit>

#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "schedule/along_loop.h"
#include "schedule/gpu_sites.h"
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"

namespace mlgc {

namespace schedule {

void schedule_gpu_nest(Scheduler& scheduler, OpRef nest) {
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

bool is_columns(const AlongLoop& along) {
  return !along.allocates && !along.launches && along.loads.next > 0 && along.inner_loads.apart() == 0 &&
         along.stores.apart() == 0;
}

bool one_thread_each(OpRef row, const AlongLoop& along) {
  if (along.allocates || along.launches) return false;
  if (is_columns(along)) return true;
  return walk(row, [&](OpRef op) {
    const bool is_long = op != row && ForRef::from(op).valid() && extent(op).value_or(kShortRow + 1) > kShortRow;
    return is_long ? WalkResult::Stop : WalkResult::Continue;
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
  scheduler.make_flat();
  for (const OpRef nest : loops_in(func.region(0)))
    if (!is_scheduled(nest)) schedule_gpu_nest(scheduler, nest);
  scheduler.fuse_products();
  return scheduler.counts();
}

}  // namespace mlgc
