// What a scheduled kernel is estimated to take, in operations on a line of a cache: the measure by which forms of one
// kernel are compared, and nothing else.
//
// Guarantees
//   - What runs in lanes counts by the bytes of its elements, what does not counts as a line for each: an op of a
//   serial
//     loop, an element of an access that does not run along the lanes. An access that jumps from line to line counts
//     twice, for the element and for its line.
//   - Copies in scratch, tiles and register tiles count as what they are in the text, as often as it runs them.
//   - Unknown sizes are taken as `assumed`. Linear in the ops of the kernel times the depth of its loops.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace mlgc::schedule {

// `assumed`: of a symbol, and of a loop whose bounds are data.
[[nodiscard]] double kernel_cost(OpRef kernel, std::int64_t line_bytes, std::int64_t assumed);

}  // namespace mlgc::schedule
