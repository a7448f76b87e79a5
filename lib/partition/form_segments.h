// Turns segments of a partitioning into `segment` ops.
//
// Guarantees
//   - A region's ops keep their order as far as its dependences let them: each op, and each segment as a whole, stands
//     where its last op stood, or before the first reader if that comes earlier.
//   - A segment's operands are in the order of their first use inside, its results in program order. Reads of weights,
//     constants and `dim` are copied to its beginning; the originals stay while somebody outside reads them.
//   - Linear in the ops and operands of the regions that have segments.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "partition/partitioning.h"

namespace mlgc {

// `permit` is asked once for each new segment; what it refuses stays as it is. Answers how many were formed.
std::size_t form_segments(Module& module, const Partitioning& partitioning, const Dependences& dependences,
                          std::string_view target, const std::function<bool(const PartitionSegment&)>& permit);

}  // namespace mlgc
