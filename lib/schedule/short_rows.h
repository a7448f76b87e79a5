// Private to lib/schedule: rows of fewer elements than lanes, several of which have the lanes together.
#pragma once

#include "loopir/loop_ops.h"

namespace mlgc::schedule {

// The loop over rows of a nest that computes elements of contiguous rows of few: lanes over the elements of all rows
// would read near each other, which takes a load or two and a shuffle for eight of them. An invalid handle: it is none.
[[nodiscard]] OpRef short_rows(OpRef nest);

}  // namespace mlgc::schedule
