// Plans of memory as `mlgc explain memory` prints them.
#pragma once

#include <string>
#include <vector>

#include "memory/memory_plan.h"

namespace mlgc {

// With `steps`, also each step of the call: what is live in it, and where the life of a buffer ends.
[[nodiscard]] std::string memory_text(const std::vector<MemoryPlan>& plans, bool steps = false);
[[nodiscard]] std::string memory_json(const std::vector<MemoryPlan>& plans);

}  // namespace mlgc
