// See window_axis.h.
#include "schedule/window_axis.h"

#include "loopir/subscripts.h"
#include "schedule/loop_edit.h"

namespace mlgc::schedule {

std::optional<std::vector<WindowAxis>> window_axes(OpRef load, std::span<const ForRef> loops) {
  std::vector<WindowAxis> out;
  std::vector<std::size_t> seen(loops.size(), 0);
  const auto subscripts = subscripts_of(load);
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    WindowAxis axis{d, {}};
    const IndexExpr e = over_values(load, subscripts[d]);
    std::int64_t finest = 0;
    for (std::size_t l = 0; l < loops.size(); ++l) {
      const auto times = coefficient_of(e, loops[l].index());
      if (!times || *times < 0 || (*times > 0 && seen[l]++ > 0)) return std::nullopt;
      if (*times == 0) continue;
      axis.parts.push_back({loops[l], *times});
      finest = finest == 0 ? *times : std::min(finest, *times);
    }
    for (WindowAxis::Part& part : axis.parts) {
      if (part.times % finest != 0) return std::nullopt;
      part.times /= finest;
    }
    if (!axis.parts.empty()) out.push_back(std::move(axis));
  }
  return out;
}

}  // namespace mlgc::schedule
