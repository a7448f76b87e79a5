// The windows of a pool, as notations have them: by numbers along each spatial axis.
#pragma once

#include <cstdint>
#include <vector>

#include "export/graph_notation.h"

namespace mlgc {

// The only window along an axis, if it reaches over all of it, is the axis: what a pool of a fixed size makes of a
// small image would be mostly padding.
struct PoolWindows {
  std::vector<std::int64_t> window, strides, low, dilations;  // low: the padding in front
  bool elements_only = true;                                  // no padding that an average would count was cut off

  PoolWindows(const IndexPool& sizes, const RowCall& call);
};

}  // namespace mlgc
