// In which order the axes of the buffers of a host function lie in memory: as what writes and reads them has least to
// do.
//
// First whole groups of buffers between convolutions (channels_last.h), then single ones.
//
// Guarantees
//   - A single buffer is changed where its kernels, scheduled, are estimated (kernel_cost.h) to take clearly less for
//   another
//     order: all that write it and all that read it together. Only orders are tried in which some kernel goes through
//     it, its last loop along the last axis.
//   - The verdict stands in the text: `layout.order` on an `alloc` that was changed; on one that was not
//     `layout.kept` with the reason, if loops ask for another order.
//   - Before the schedule: what is scheduled to be compared is a copy.
#pragma once

#include <cstdint>

#include "ir/module.h"
#include "ops/numerics.h"
#include "ops/rewrite_gate.h"
#include "schedule/channels_last.h"

namespace mlgc {

struct LayoutCounts {
  std::uint64_t changed = 0, kept = 0, copied = 0;
};

LayoutCounts choose_layouts(Module& module, MemoryFormat format, Numerics numerics, RewriteGate& gate);

// For a GPU: channels last where the matrix unit multiplies them; where sums stay in order (`exact`), nothing.
LayoutCounts choose_gpu_layouts(Module& module, Numerics numerics, RewriteGate& gate);

}  // namespace mlgc
