// Two orders of the same things, and two sequences of which parts are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mlgc {

// Which items belong to one longest increasing subsequence. N log N.
[[nodiscard]] std::vector<bool> longest_increasing(std::span<const std::size_t> items);

// Numbers of equal items in order, the most that there are, by as many steps as differ (Myers, "An O(ND) Difference
// Algorithm and Its Variations", 1986). Nothing where more than `most` items differ.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> common_subsequence(std::span<const std::uint64_t> a,
                                                                                  std::span<const std::uint64_t> b,
                                                                                  std::size_t most);

}  // namespace mlgc
