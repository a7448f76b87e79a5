// See plan_fusion.h: what is asked of a plan, and of sizes.
#include <algorithm>

#include "fusion/plan_fusion.h"

namespace mlgc {

std::size_t PlannedKernel::op_count() const {
  return static_cast<std::size_t>(
      std::count_if(members.begin(), members.end(), [](const Member& member) { return !member.copy; }));
}

double typical_size(const IndexPool& index, IndexExpr size, const Facts& facts) {
  constexpr std::int64_t kTypical = 64;
  const auto value = index.evaluate(size, [&](AtomId symbol) -> std::optional<std::int64_t> {
    return std::clamp(kTypical, facts.lower(symbol).value_or(0),
                      std::max(facts.lower(symbol).value_or(0), facts.upper(symbol).value_or(kTypical)));
  });
  return value ? static_cast<double>(std::max<std::int64_t>(*value, 0)) : static_cast<double>(kTypical);
}

}  // namespace mlgc
