// See minimum_cut.h.
#include "rematerialize/minimum_cut.h"

#include <algorithm>

namespace mlgc {

void MinimumCut::add_edge(std::size_t from, std::size_t to, std::int64_t capacity) {
  const auto add = [&](std::size_t a, std::size_t b, std::int64_t left) {
    edges_.push_back({static_cast<std::uint32_t>(b), first_[a], left});
    first_[a] = static_cast<std::uint32_t>(edges_.size() - 1);
  };
  add(from, to, capacity);
  add(to, from, 0);
}

std::vector<bool> MinimumCut::source_side(std::size_t source, std::size_t sink) {
  for (number_levels(source); level_[sink] != kNone; number_levels(source)) push_along_levels(source, sink);
  std::vector<bool> side(first_.size());
  for (std::size_t node = 0; node < side.size(); ++node) side[node] = level_[node] != kNone;
  return side;
}

// Distance from the source over edges with something left.
void MinimumCut::number_levels(std::size_t source) {
  level_.assign(first_.size(), kNone);
  level_[source] = 0;
  std::vector<std::uint32_t> open{static_cast<std::uint32_t>(source)};
  for (std::size_t at = 0; at < open.size(); ++at)
    for (std::uint32_t e = first_[open[at]]; e != kNone; e = edges_[e].next)
      if (edges_[e].left > 0 && level_[edges_[e].to] == kNone) {
        level_[edges_[e].to] = level_[open[at]] + 1;
        open.push_back(edges_[e].to);
      }
}

// Until no path along increasing levels has anything left. `current_`: edges before it lead nowhere any more.
void MinimumCut::push_along_levels(std::size_t source, std::size_t sink) {
  current_ = first_;
  std::vector<std::uint32_t> path;  // edges from the source on
  const auto end = [&] { return path.empty() ? source : edges_[path.back()].to; };
  while (true) {
    const std::size_t node = end();
    if (node == sink) {
      std::int64_t amount = kUncuttable;
      for (const std::uint32_t e : path) amount = std::min(amount, edges_[e].left);
      std::size_t full = path.size();
      for (std::size_t i = path.size(); i-- > 0;) {
        edges_[path[i]].left -= amount;
        edges_[path[i] ^ 1U].left += amount;
        if (edges_[path[i]].left == 0) full = i;
      }
      path.resize(full);
      continue;
    }
    std::uint32_t& e = current_[node];
    while (e != kNone && (edges_[e].left == 0 || level_[edges_[e].to] != level_[node] + 1)) e = edges_[e].next;
    if (e != kNone) {
      path.push_back(e);
      continue;
    }
    if (path.empty()) return;
    const std::size_t before = edges_[path.back() ^ 1U].to;
    current_[before] = edges_[current_[before]].next;
    path.pop_back();
  }
}

}  // namespace mlgc
