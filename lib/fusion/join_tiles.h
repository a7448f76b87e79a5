// Fusion groups that become one because what passes between them is much larger than what they read and write: rows of
// rows, as the probabilities of attention and their gradient are. A schedule computes tiles of these rows, so none of
// it lies in memory.
//
// Guarantees
//   - What is joined are whole kernels of one region, between which no other op has to run.
//   - All that passes between them goes through rows of one axis: each statement either has that axis, and reads of
//     what others with it compute its own row, or is a sum over it, which none of these reads. What threads share, the
//     rows of the kernel, has no factor of a product in common.
//   - Linear in the kernels, times the size of what is joined.
#pragma once

#include "fusion/decide_fusion.h"

namespace mlgc {

// The decisions with such kernels joined; as it is where `tile_bytes` is 0.
[[nodiscard]] FusionDecisions join_tiles(const Module& module, const FusionOptions& options, FusionDecisions decisions);

}  // namespace mlgc
