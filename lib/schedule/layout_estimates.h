// Private to lib/schedule: what both choices of layouts suppose, and how they write their verdicts down.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "loopir/loop_ops.h"
#include "ops/rewrite_gate.h"

namespace mlgc::schedule {

// Policy, the same for all machines. What sizes that are known at run time only are taken to be, one after the other:
// none may speak against a change. One is a small batch, the other one fills vectors and threads.
inline constexpr std::array<std::int64_t, 2> kAssumedSizes{16, 256};
// Likewise, how often a loop of a host function is taken to run: what stands in it counts for more than what does not.
inline constexpr double kHostLoop = 8;

[[nodiscard]] inline double times_launched(OpRef launch) {
  double times = 1;
  for (OpRef op = launch.parent_op(); !op.is(LoopOp::Func); op = op.parent_op())
    if (!op.is(LoopOp::If)) times *= kHostLoop;
  return times;
}

// Notes on the `alloc` of a buffer why its axes stay in their order. False: it says so already, or may not be changed.
inline bool note_kept(Value buffer, const std::string& why, RewriteGate& gate) {
  constexpr std::string_view kNote = "layout.kept";
  const OpRef alloc = buffer.definer();
  const Attribute note = alloc.module().context().attributes().string(why);
  if (alloc.attr(kNote) == note || !gate.may_rewrite(kNote, alloc.location())) return false;
  alloc.set_attr(kNote, note);
  return true;
}

}  // namespace mlgc::schedule
