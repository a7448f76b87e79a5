// Private to lib/schedule: subscripts in which several indices stand, as `2*w + q - 1` of a window.
#pragma once

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
    std::int64_t times = 1;  // steps of the axis from one iteration to the next
    std::int64_t whole = 1;  // the sum of whole * times over the parts is 1
  };
  std::size_t dim = 0;
  std::int64_t step = 1;    // elements: no loop reaches those between
  std::vector<Part> parts;  // in the order of the loops

  [[nodiscard]] const Part& slowest() const { return parts.front(); }
};

// The axes of the load along these loops, in the order of its subscripts. Nothing: an index stands in two subscripts,
// or otherwise than as a positive multiple.
[[nodiscard]] std::optional<std::vector<WindowAxis>> window_axes(OpRef load, std::span<const ForRef> loops);

}  // namespace mlgc::schedule
