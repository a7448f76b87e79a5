// Private to lib/schedule: nests of elements that are one loop over what they store. A GPU stores 16 bytes at a time,
// wherever rows begin, and finds the position in a row by quotients.
#pragma once

#include "schedule/scheduler.h"

namespace mlgc::schedule {

// Whether the chain of parallel loops, of constant extents and without another loop inside, stores neighbours from its
// first iteration to its last one, while rows begin anywhere, or fill blocks badly: as one loop it stores whole pieces.
// What it reads may be anywhere near; positions that follow from data, and neighbours far apart, are for other forms.
[[nodiscard]] bool is_better_flat(std::span<const OpRef> chain);
// Makes one loop of them; nothing where a step is refused.
[[nodiscard]] bool flatten(Scheduler& scheduler, std::span<const OpRef> chain);

}  // namespace mlgc::schedule
