// The default schedule of one kernel for a kind of machine, with what the verifier refuses undone.
#pragma once

#include "machine/machine.h"
#include "ops/numerics.h"
#include "ops/rewrite_gate.h"
#include "schedule/default_schedule.h"
#include "schedule/transform_review.h"

namespace mlgc::schedule {

// schedule_by_default() or schedule_for_gpu(), reviewed.
ScheduleCounts schedule_kernel(OpRef func, MachineKind kind, Numerics numerics, RewriteGate& gate,
                               TransformReview& review, const ScheduleRequest& request = {});

}  // namespace mlgc::schedule
