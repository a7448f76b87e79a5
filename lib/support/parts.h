// Work on many bytes, divided among threads: copies, checksums, first touches of memory, which a core does far slower
// than memory could.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace mlgc {

struct Part {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

// [0, count) in contiguous parts, as many as this machine has cores and each of at least `least` elements
// where there is more than one. Of no elements there are none. Precondition: least > 0.
[[nodiscard]] std::vector<Part> parts_of(std::size_t count, std::size_t least);

// Calls `body(i, parts[i])` for each part, at the same time where there are threads to be had. `body` throws nothing.
void for_each_part(std::span<const Part> parts, const std::function<void(std::size_t, Part)>& body);

}  // namespace mlgc
