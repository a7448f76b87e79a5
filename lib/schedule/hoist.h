// Private to lib/schedule: what a nest recomputes although it follows from few of its indices.
#pragma once

#include <unordered_set>

#include "loopir/loop_ops.h"

namespace mlgc::schedule {

// The place that the load reads follows from values that are computed, or read, in the loop whose varying_values()
// these are.
[[nodiscard]] bool is_gathered(OpRef load, const std::unordered_set<ValueId>& varying);

// A value in the nest, which stands in no other loop, that is worth computing in front of it (pack() of
// loop_transforms.h): it follows from some of the loops around it, the others repeat it, and what it takes is a place
// to read from, or dear. An invalid handle: there is none. Values that others follow from come after these.
[[nodiscard]] OpRef value_to_hoist(OpRef nest);

}  // namespace mlgc::schedule
