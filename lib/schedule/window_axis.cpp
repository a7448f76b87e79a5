// See window_axis.h.
#include "schedule/window_axis.h"

#include <numeric>
#include <tuple>
#include <utility>

#include "loopir/subscripts.h"
#include "schedule/loop_edit.h"

namespace mlgc::schedule {

namespace {

// Euclid's algorithm, for each part with those before it: the fewest parts that give one step.
void find_whole(std::vector<WindowAxis::Part>& parts) {
  std::int64_t divisor = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::int64_t a = divisor, b = parts[i].times;
    std::int64_t of_a = 1, of_b = 0, next_of_a = 0, next_of_b = 1;
    while (b != 0) {
      const std::int64_t quotient = a / b;
      std::tie(a, b) = std::pair(b, a - quotient * b);
      std::tie(of_a, next_of_a) = std::pair(next_of_a, of_a - quotient * next_of_a);
      std::tie(of_b, next_of_b) = std::pair(next_of_b, of_b - quotient * next_of_b);
    }
    divisor = a;
    for (std::size_t before = 0; before < i; ++before) parts[before].whole *= of_a;
    parts[i].whole = of_b;
  }
}

}  // namespace

std::optional<std::vector<WindowAxis>> window_axes(OpRef load, std::span<const ForRef> loops) {
  std::vector<WindowAxis> out;
  std::vector<std::size_t> seen(loops.size(), 0);
  const auto subscripts = subscripts_of(load);
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    WindowAxis axis;
    axis.dim = d;
    const IndexExpr e = over_values(load, subscripts[d]);
    std::int64_t step = 0;
    for (std::size_t l = 0; l < loops.size(); ++l) {
      const auto times = coefficient_of(e, loops[l].index());
      if (!times || *times < 0 || (*times > 0 && seen[l]++ > 0)) return std::nullopt;
      if (*times == 0) continue;
      axis.parts.push_back({loops[l], *times});
      step = std::gcd(step, *times);
    }
    axis.step = step;
    for (WindowAxis::Part& part : axis.parts) part.times /= step;
    find_whole(axis.parts);
    if (!axis.parts.empty()) out.push_back(std::move(axis));
  }
  return out;
}

}  // namespace mlgc::schedule
