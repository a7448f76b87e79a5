// Private to lib/schedule: which loops tile by tile would become one, for what decides on it.
#pragma once

#include <cstdint>
#include <vector>

#include "diag/diagnostic.h"
#include "ir/module.h"
#include "support/result.h"

namespace mlgc::schedule {

struct TileFusion {
  std::vector<OpRef> rows, sums;  // loops over rows, and nests that sum over the rows, in their order
  std::int64_t row_bytes = 0;     // of scratch that an iteration of the loops over rows has; unknown sizes as `usual`
};
// What fuse_tiles() would fuse, from this loop on. Error: why it would be refused.
[[nodiscard]] Result<TileFusion, Diagnostic> fusable_tiles(OpRef first, std::int64_t usual, const Facts& facts);

}  // namespace mlgc::schedule
