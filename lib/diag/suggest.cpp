// A banded edit distance.
#include "diag/suggest.h"

#include <algorithm>
#include <vector>

namespace mlgc {

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t far = limit + 1;
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return far;
  // Three rows: swapping neighbours looks two rows back.
  std::vector<std::size_t> before(b.size() + 1, far), previous(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = std::min(j, far);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::fill(row.begin(), row.end(), far);
    if (i <= limit) row[0] = i;
    const std::size_t first = i > limit ? i - limit : 1;
    const std::size_t last = std::min(b.size(), i + limit);
    std::size_t best = row[0];
    for (std::size_t j = first; j <= last; ++j) {
      std::size_t cost = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost = std::min({cost, previous[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) cost = std::min(cost, before[j - 2] + 1);
      row[j] = std::min(cost, far);
      best = std::min(best, row[j]);
    }
    if (best > limit) return far;
    std::swap(before, previous);
    std::swap(previous, row);
  }
  return std::min(previous[b.size()], far);
}

std::optional<std::string_view> closest_name(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 64;
  if (name.size() < 2 || name.size() > kLongest) return std::nullopt;
  std::size_t limit = std::max<std::size_t>(1, name.size() / 3);
  std::optional<std::string_view> best;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate, limit);
    if (distance > limit || distance >= candidate.size()) continue;
    if (best && distance == limit && *best <= candidate) continue;
    best = candidate;
    limit = distance;
  }
  return best;
}

}  // namespace mlgc
