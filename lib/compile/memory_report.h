// Plans of memory as `mlgc explain memory` prints them.
#pragma once

#include <string>
#include <vector>

#include "codegen/memory_plan.h"

namespace mlgc {

[[nodiscard]] std::string memory_text(const std::vector<MemoryPlan>& plans);
[[nodiscard]] std::string memory_json(const std::vector<MemoryPlan>& plans);

}  // namespace mlgc
