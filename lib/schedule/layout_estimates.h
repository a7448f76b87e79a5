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

// What sizes that are known at run time only are taken to be, one after the other: none may speak against a change.
inline constexpr std::array<std::int64_t, 2> kAssumedSizes{16, 256};
// How often a loop of a host function is taken to run.
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
