// See sequences.h.
#include "inspect/sequences.h"

#include <algorithm>

namespace mlgc {

std::vector<bool> longest_increasing(std::span<const std::size_t> items) {
  constexpr std::size_t kFirst = ~std::size_t{0};
  std::vector<std::size_t> ends, previous(items.size());  // the best end of each length; what comes before each
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto at = std::lower_bound(ends.begin(), ends.end(), items[i],
                                     [&](std::size_t end, std::size_t item) { return items[end] < item; });
    previous[i] = at == ends.begin() ? kFirst : *(at - 1);
    if (at == ends.end())
      ends.push_back(i);
    else
      *at = i;
  }
  std::vector<bool> kept(items.size());
  if (!ends.empty())
    for (std::size_t i = ends.back(); i != kFirst; i = previous[i]) kept[i] = true;
  return kept;
}

namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Diagonal k holds places x - y == k; reach[k + d] is the furthest x on it after d items that differ.
Pairs shortest_edit(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t most) {
  using Number = std::int64_t;
  const auto n = static_cast<Number>(a.size()), m = static_cast<Number>(b.size());
  std::vector<std::vector<Number>> reached;  // of each d
  const auto from = [&](Number k, Number d) {
    if (d == 0) return Number{0};
    const std::vector<Number>& before = reached[static_cast<std::size_t>(d - 1)];
    const auto x_at = [&](Number diagonal) { return before[static_cast<std::size_t>(diagonal + d - 1)]; };
    const bool down = k == -d || (k != d && x_at(k - 1) < x_at(k + 1));
    return down ? x_at(k + 1) : x_at(k - 1) + 1;
  };
  const auto last = static_cast<Number>(std::min(most, a.size() + b.size()));
  for (Number d = 0; d <= last; ++d) {
    std::vector<Number> reach(static_cast<std::size_t>(2 * d + 1));
    bool over = false;
    for (Number k = -d; k <= d && !over; k += 2) {
      Number x = from(k, d);
      while (x < n && x - k < m && x - k >= 0 && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)])
        ++x;
      reach[static_cast<std::size_t>(k + d)] = x;
      over = x >= n && x - k >= m;
      if (!over) continue;
      // Backwards along the path: after each step, what lies on the diagonal is equal.
      Pairs pairs;
      for (Number step = d, on = k; step >= 0; --step) {
        const Number start = from(on, step);
        for (Number at = x; at > start; --at)
          pairs.emplace_back(static_cast<std::size_t>(at - 1), static_cast<std::size_t>(at - 1 - on));
        if (step == 0) break;
        const std::vector<Number>& before = reached[static_cast<std::size_t>(step - 1)];
        const auto x_at = [&](Number diagonal) { return before[static_cast<std::size_t>(diagonal + step - 1)]; };
        const bool down = on == -step || (on != step && x_at(on - 1) < x_at(on + 1));
        on += down ? 1 : -1;
        x = x_at(on);
      }
      std::reverse(pairs.begin(), pairs.end());
      return pairs;
    }
    reached.push_back(std::move(reach));
  }
  return {};
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> common_subsequence(std::span<const std::uint64_t> a,
                                                                    std::span<const std::uint64_t> b,
                                                                    std::size_t most) {
  std::size_t begin = 0, end = 0;
  const std::size_t shorter = std::min(a.size(), b.size());
  while (begin < shorter && a[begin] == b[begin]) ++begin;
  while (end < shorter - begin && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  Pairs pairs;
  for (std::size_t i = 0; i < begin; ++i) pairs.emplace_back(i, i);
  for (const auto& [i, k] :
       shortest_edit(a.subspan(begin, a.size() - begin - end), b.subspan(begin, b.size() - begin - end), most))
    pairs.emplace_back(begin + i, begin + k);
  for (std::size_t i = end; i > 0; --i) pairs.emplace_back(a.size() - i, b.size() - i);
  return pairs;
}

}  // namespace mlgc
