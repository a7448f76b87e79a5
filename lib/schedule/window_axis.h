// Private to lib/schedule: subscripts in which several indices stand, as `2*w + q - 1` of a window.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "loopir/loop_ops.h"

namespace mlgc::schedule {

// A subscript in which indices of loops stand.
struct WindowAxis {
  struct Part {
    ForRef loop;
    std::int64_t times = 1;  // elements from one iteration to the next, in those of the finest loop
  };
  std::size_t dim = 0;
  std::vector<Part> parts;  // in the order of the loops

  // The loop whose steps divide those of all others.
  [[nodiscard]] const Part& finest() const {
    return *std::find_if(parts.begin(), parts.end(), [](const Part& p) { return p.times == 1; });
  }
  [[nodiscard]] const Part& slowest() const { return parts.front(); }
};

// The axes of the load along these loops, in the order of its subscripts. Nothing: an index stands in two subscripts,
// or otherwise than as a positive multiple, or no loop of an axis has steps that divide the others'.
[[nodiscard]] std::optional<std::vector<WindowAxis>> window_axes(OpRef load, std::span<const ForRef> loops);

}  // namespace mlgc::schedule
