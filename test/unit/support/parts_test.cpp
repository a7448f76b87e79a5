#include "support/parts.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "support_catch.h"

using namespace mlgc;

TEST_CASE("parts are contiguous, cover all, and are large enough") {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  for (const std::size_t count : {0UL, 1UL, 9UL, 10UL, 19UL, 20UL, 1000UL, 1003UL}) {
    const std::vector<Part> parts = parts_of(count, 10);
    std::size_t at = 0;
    for (const Part& part : parts) {
      CHECK(part.begin == at);
      CHECK((part.size() >= 10 || parts.size() == 1));
      at = part.end;
    }
    CHECK(at == count);
    CHECK(parts.size() <= cores);
    if (count >= 10 * cores) CHECK(parts.size() == std::min<std::size_t>(cores, 16));
  }
}

TEST_CASE("each part is worked on once") {
  const std::vector<Part> parts = parts_of(100000, 1000);
  std::vector<std::atomic<int>> seen(100000);
  std::vector<std::atomic<int>> calls(parts.size());
  for_each_part(parts, [&](std::size_t i, Part part) {
    ++calls[i];
    for (std::size_t at = part.begin; at < part.end; ++at) ++seen[at];
  });
  CHECK(std::all_of(seen.begin(), seen.end(), [](const auto& count) { return count == 1; }));
  CHECK(std::all_of(calls.begin(), calls.end(), [](const auto& count) { return count == 1; }));
  bool called = false;
  for_each_part({}, [&](std::size_t, Part) { called = true; });
  CHECK(!called);
}
