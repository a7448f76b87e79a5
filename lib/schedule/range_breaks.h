// Private to lib/schedule: where along the range of a loop the text inside of it changes.
#pragma once

#include <vector>

#include "loopir/loop_ops.h"

namespace mlgc::schedule {

// The iterations from which on another outcome of a guard, a minimum, a maximum, a quotient or a remainder in the loop
// begins, over values from outside of the loop, in the order in which they are met, each once. Only what is affine in
// the index with a constant coefficient is found; loops inside count with all of their iterations. At most `most`.
// `each_side`: where a minimum or maximum bounds other loops, its sides are asked one by one.
[[nodiscard]] std::vector<IndexExpr> range_breaks(ForRef loop, std::size_t most, bool each_side = false);

}  // namespace mlgc::schedule
