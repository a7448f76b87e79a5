// The schedule that a kernel gets when none is written: which loops become one, which has lanes, which runs on
// threads.
//
//     rows that are dense in all buffers      one loop over tiles of the flat elements, lanes inside
//     a row and what it reduces               rows on threads; each innermost loop has lanes, reductions combine them
//     sums over an axis that is not the last  lanes over the last one, the sums of a lane in their order
//     transposes                              square tiles, so that lines of both buffers are used while they are near
//     products of matrices                    tiles whose sums are in registers (contraction.h)
//
// Guarantees
//   - All is done by steps (loop_transforms.h): what is not shown to be legal stays as it is. A loop that could have
//   lanes, and
//     has none, says why in the note `schedule.serial`.
//   - Sums change their order, and are carried in f32 where they were in f64, only as far as `numerics` admits it
//     inside of a reduction. An extremum may be another zero of two. Everything else keeps its bits.
//   - Linear in the ops of a function whose nests are small, as those of kernels are.
#pragma once

#include "ir/constraint.h"
#include "ir/module.h"
#include "ops/numerics.h"
#include "ops/rewrite_gate.h"
#include "schedule/schedule_log.h"

namespace mlgc {

namespace schedule {
class TransformReview;
}

struct ScheduleCounts {
  std::uint64_t collapsed = 0, tiled = 0, staged = 0, vectorized = 0, jammed = 0, unrolled = 0, narrowed = 0,
                parallel = 0, serial = 0, fused = 0, split = 0;
};

// Schedules the nests of a loop function. Loops that are vector or unrolled already stay as they are, with what is
// around and inside of them. Each step is recorded in the gate; with a review (transform_review.h), none is taken that
// it refuses. With a request, a strategy is tried first, and what was decided is logged (schedule_log.h).
ScheduleCounts schedule_by_default(OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate,
                                   schedule::TransformReview* review = nullptr,
                                   const schedule::ScheduleRequest& request = {});

}  // namespace mlgc
