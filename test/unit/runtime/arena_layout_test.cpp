// Placing buffers in an arena.
#include "runtime/arena_layout.h"

#include <random>

#include "support_catch.h"

using mlgc::runtime::ArenaBuffer;

namespace {

struct Layout {
  std::int64_t bytes;
  std::vector<std::int64_t> offsets;
};

Layout layout(const std::vector<ArenaBuffer>& buffers) {
  Layout result{0, std::vector<std::int64_t>(buffers.size(), -1)};
  std::vector<std::int32_t> workspace(3 * buffers.size());
  result.bytes = mlgc::runtime::layout_arena(buffers.data(), static_cast<std::int32_t>(buffers.size()),
                                             result.offsets.data(), workspace.data());
  return result;
}

// Largest sum of what lives in one launch.
std::int64_t lower_bound_of(const std::vector<ArenaBuffer>& buffers) {
  std::int32_t end = 0;
  for (const ArenaBuffer& b : buffers) end = std::max(end, b.last + 1);
  std::vector<std::int64_t> change(static_cast<std::size_t>(end) + 1);
  for (const ArenaBuffer& b : buffers) {
    const std::int64_t rounded = (b.bytes + 63) / 64 * 64;
    change[static_cast<std::size_t>(b.first)] += rounded;
    change[static_cast<std::size_t>(b.last) + 1] -= rounded;
  }
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const std::int64_t c : change) most = std::max(most, now += c);
  return most;
}

// Every buffer lies in the arena, and no two that live in the same launch share a byte.
bool disjoint(const std::vector<ArenaBuffer>& buffers, const Layout& result) {
  std::vector<std::size_t> order(buffers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return result.offsets[a] < result.offsets[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ArenaBuffer& a = buffers[order[i]];
    const std::int64_t end = result.offsets[order[i]] + a.bytes;
    if (result.offsets[order[i]] % 64 != 0 || result.offsets[order[i]] < 0 || end > result.bytes) return false;
    for (std::size_t k = i + 1; k < order.size() && result.offsets[order[k]] < end; ++k) {
      const ArenaBuffer& b = buffers[order[k]];
      if (a.bytes > 0 && b.bytes > 0 && a.last >= b.first && b.last >= a.first) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a chain needs the memory of two neighbours") {
  const std::vector<ArenaBuffer> chain{{1000, 0, 1}, {1000, 1, 2}, {1000, 2, 3}, {1000, 3, 4}};
  const Layout result = layout(chain);
  CHECK(result.bytes == 2048);
  CHECK(result.offsets == std::vector<std::int64_t>{0, 1024, 0, 1024});
}

TEST_CASE("a small buffer finds the gap between large ones") {
  const Layout result = layout({{4096, 0, 1}, {2048, 0, 4}, {64, 2, 3}});
  CHECK(result.bytes == 6144);
  CHECK(result.offsets == std::vector<std::int64_t>{0, 4096, 0});
}

TEST_CASE("empty buffers and empty arenas take nothing") {
  CHECK(layout({}).bytes == 0);
  const Layout result = layout({{0, 0, 9}, {64, 0, 9}, {0, 3, 3}});
  CHECK(result.bytes == 64);
  CHECK(result.offsets == std::vector<std::int64_t>{0, 0, 0});
}

TEST_CASE("sizes beyond the address space are refused") {
  CHECK(layout({{MLGC_I64_MAX, 0, 0}}).bytes == -1);
  const std::int64_t large = MLGC_I64_MAX / 4 / 64 * 64;
  CHECK(layout({{large, 0, 0}, {large, 0, 0}, {large, 0, 0}, {large, 0, 0}}).bytes == 4 * large);
  CHECK(layout({{large, 0, 0}, {large, 0, 0}, {large, 0, 0}, {large, 0, 0}, {512, 0, 0}}).bytes == -1);
}

TEST_CASE("random lives are disjoint and near the lower bound") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<ArenaBuffer> buffers;
    const auto launches = static_cast<std::int32_t>(1 + random() % 60);
    for (std::int32_t i = 0; i < launches; ++i) {
      const std::int32_t last = std::min(launches - 1, i + static_cast<std::int32_t>(random() % 6));
      buffers.push_back(
          {64 * static_cast<std::int64_t>(random() % 5) * (1 + static_cast<std::int64_t>(random() % 40)), i, last});
    }
    const Layout result = layout(buffers);
    REQUIRE(disjoint(buffers, result));
    CHECK(result.bytes <= lower_bound_of(buffers) * 3 / 2);
    CHECK(layout(buffers).offsets == result.offsets);
  }
}

TEST_CASE("many buffers are placed in time") {
  std::vector<ArenaBuffer> buffers;
  std::mt19937 random(3);
  for (std::int32_t i = 0; i < 20000; ++i)
    buffers.push_back(
        {1 + static_cast<std::int64_t>(random() % 100000), i, i + static_cast<std::int32_t>(random() % 4)});
  const Layout result = layout(buffers);
  CHECK(disjoint(buffers, result));
  CHECK(result.bytes <= lower_bound_of(buffers) * 4);
}
