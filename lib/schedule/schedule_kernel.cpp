// See schedule_kernel.h.
#include "schedule/schedule_kernel.h"

#include "ir/function_facts.h"
#include "schedule/gpu_schedule.h"

namespace mlgc::schedule {

ScheduleCounts schedule_kernel(OpRef func, MachineKind kind, Numerics numerics, RewriteGate& gate,
                               TransformReview& review, const ScheduleRequest& request) {
  FunctionFacts facts;
  const auto schedule = kind == MachineKind::Gpu ? schedule_for_gpu : schedule_by_default;
  return schedule_reviewed(func, gate, review,
                           [&] { return schedule(func, numerics, facts.of(func), gate, &review, request); });
}

}  // namespace mlgc::schedule
