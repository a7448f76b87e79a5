// See decide_fusion.h: what is asked of a group.
#include <algorithm>

#include "fusion/decide_fusion.h"

namespace mlgc {

std::size_t FusionGroup::op_count() const {
  return static_cast<std::size_t>(
      std::count_if(members.begin(), members.end(), [](const Member& member) { return !member.copy; }));
}

}  // namespace mlgc
