// Private to lib/schedule: how often what a driver launches runs, where estimates weigh it.
#pragma once

#include "loopir/loop_ops.h"

namespace mlgc::schedule {

// How often a loop of a driver is taken to run.
inline constexpr double kDriverLoop = 8;

[[nodiscard]] inline double times_launched(OpRef launch) {
  double times = 1;
  for (OpRef op = launch.parent_op(); !op.is(LoopOp::Func); op = op.parent_op())
    if (!op.is(LoopOp::If)) times *= kDriverLoop;
  return times;
}

}  // namespace mlgc::schedule
