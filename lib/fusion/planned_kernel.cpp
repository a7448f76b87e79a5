// See plan_fusion.h: what is asked of a plan.
#include <algorithm>

#include "fusion/plan_fusion.h"

namespace mlgc {

std::size_t PlannedKernel::op_count() const {
  return static_cast<std::size_t>(
      std::count_if(members.begin(), members.end(), [](const Member& member) { return !member.copy; }));
}

}  // namespace mlgc
