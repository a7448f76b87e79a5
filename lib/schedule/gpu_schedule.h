// The schedule that a kernel gets for a GPU when none is written. There iterations of a parallel loop are threads,
// or, where a loop inside has lanes, blocks of threads whose lanes are threads.
//
//     elements, and columns that a thread reduces by itself    parallel loops, one thread an iteration
//     a row and what it reduces                                a block a row; the loops inside have lanes
//     transposes                                               square tiles through the scratch of a block
//     a reduction without rows                                 a block a tile, then one block for their results
//
// Guarantees
//   - Those of default_schedule.h, but for its lanes: here all parallel loops stay parallel.
#pragma once

#include "schedule/default_schedule.h"

namespace mlgc {

// As schedule_by_default().
ScheduleCounts schedule_for_gpu(OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate,
                                schedule::TransformReview* review = nullptr,
                                const schedule::ScheduleRequest& request = {});

}  // namespace mlgc
