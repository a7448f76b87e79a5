// Panels of weights: what lanes of a contraction read of a weight lies in memory as they read it, from the time when
// the weights are made on.
//
//     load %w[%n, %k]   becomes   load %w[%n_o, %k, %n - 16*%n_o]   of   @w.panels : tensor<N/16 x K x 16>
//
// A panel has as many columns as fit one strip of lanes, and all terms of a sum for them, so one layout serves vectors
// of every width. The weight in that order is a derived weight, computed once and no part of a call; the last panel is
// filled up with zeros, which nothing reads.
//
// Guarantees
//   - Each element that is read has the value that it had: nothing that is computed changes but the order of the terms
//     of a sum, as far as the schedule chooses another strategy for them.
//   - Whether a weight gets panels follows from sizes and from the text of the kernel, never from a machine.
//   - Only weights that no call changes, and that a kernel reads at one place. A kernel that is also launched on
//     something else is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/constraint.h"
#include "ir/module.h"
#include "ops/rewrite_gate.h"

namespace mlgc {

struct WeightPanelCounts {
  std::uint64_t weights = 0;  // derived weights that were made
  std::uint64_t kernels = 0;  // that read panels
};

// Before the schedule: kernels that have lanes already stay as they are.
WeightPanelCounts make_weight_panels(Module& module, RewriteGate& gate);

// Has a kernel read these arguments as panels, as far as make_weight_panels() would if they are weights: the types of
// the arguments change, and no op makes the panels.
void read_panels(OpRef kernel, std::span<const std::size_t> weights, const Facts& facts);

}  // namespace mlgc
