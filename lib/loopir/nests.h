// Nests of loops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loopir/loop_ops.h"

namespace mlgc {

// How often a loop runs, as far as that is known; of a tile whose last one is smaller: the full one. Never less than it
// does.
[[nodiscard]] std::optional<std::int64_t> usual_extent(ForRef loop);

// The loop of a nest and those that stand alone inside of each other, as far as they are parallel.
[[nodiscard]] std::vector<OpRef> parallel_chain(OpRef nest);

}  // namespace mlgc
