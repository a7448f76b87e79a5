// The default schedule of one kernel for a kind of machine, with what the verifier refuses undone.
//
// Where it takes a strategy that is compared (strategy.h) and none was asked for or kept away, the kernel is also
// scheduled without it, and that is the schedule if it is predicted to take less by a margin. Both are made and
// predicted for one core of the default machine of the kind, unknown sizes being kAssumedSize: the choice is
// the same for all machines, and so are the bits of results.
#pragma once

#include "machine/machine.h"
#include "ops/numerics.h"
#include "ops/rewrite_gate.h"
#include "schedule/default_schedule.h"
#include "schedule/transform_review.h"

namespace mlgc::schedule {

// schedule_by_default() or schedule_for_gpu(), reviewed and compared.
ScheduleCounts schedule_kernel(OpRef func, MachineKind kind, Numerics numerics, RewriteGate& gate,
                               TransformReview& review, const ScheduleRequest& request = {});

}  // namespace mlgc::schedule
