// See arena_layout.h. The largest buffers first, each at the lowest place where it fits: what comes late is small and
// finds gaps. What is beyond kExactBuffers goes on top of that, in the order of time, into places that are powers of
// two and are used again.
#include "runtime/arena_layout.h"

#include <algorithm>

namespace mlgc::runtime {
namespace {

constexpr mlgc_i64 kMost = MLGC_I64_MAX;
constexpr mlgc_i64 kLargest = kMost / 4;  // a power of two above it fits too

bool touch(const ArenaBuffer& a, const ArenaBuffer& b) { return a.first <= b.last && b.first <= a.last; }

mlgc_i64 rounded(mlgc_i64 bytes) { return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment; }

// Places order[0..count), which `placed` then lists by offset. Returns the end of the last one; -1: it does not fit.
mlgc_i64 place_exactly(const ArenaBuffer* buffers, const mlgc_i32* order, mlgc_i32 count, mlgc_i64* offsets,
                       mlgc_i32* placed) {
  mlgc_i64 peak = 0;
  for (mlgc_i32 k = 0; k < count; ++k) {
    const mlgc_i32 number = order[k];
    const mlgc_i64 bytes = rounded(buffers[number].bytes);
    mlgc_i64 offset = 0;
    for (mlgc_i32 p = 0; p < k && bytes > 0; ++p) {
      const mlgc_i32 other = placed[p];
      if (buffers[other].bytes == 0 || !touch(buffers[number], buffers[other])) continue;
      if (offsets[other] - offset >= bytes) break;
      offset = std::max(offset, offsets[other] + rounded(buffers[other].bytes));
    }
    if (offset > kMost - bytes) return -1;
    offsets[number] = offset;
    peak = std::max(peak, offset + bytes);
    const auto* const at = std::upper_bound(placed, placed + k, offset,
                                            [&](mlgc_i64 mine, mlgc_i32 other) { return mine < offsets[other]; });
    std::copy_backward(placed + (at - placed), placed + k, placed + k + 1);
    placed[at - placed] = number;
  }
  return peak;
}

// Places order[0..count) from `base` on. `next` and `live` are as long as all buffers and as `count`.
mlgc_i64 place_by_time(const ArenaBuffer* buffers, mlgc_i32* order, mlgc_i32 count, mlgc_i64 base, mlgc_i64* offsets,
                       mlgc_i32* next, mlgc_i32* live) {
  const auto size_class = [&](mlgc_i32 number) {
    int k = 0;
    while (kArenaAlignment << k < buffers[number].bytes) ++k;
    return k;
  };
  mlgc_i32 free[64];
  std::fill(free, free + 64, -1);
  std::sort(order, order + count, [&](mlgc_i32 a, mlgc_i32 b) {
    return buffers[a].first != buffers[b].first ? buffers[a].first < buffers[b].first : a < b;
  });
  // A heap: the one that dies first is in front.
  const auto later = [&](mlgc_i32 a, mlgc_i32 b) {
    return buffers[a].last != buffers[b].last ? buffers[a].last > buffers[b].last : a > b;
  };
  mlgc_i32 live_count = 0;
  for (mlgc_i32 k = 0; k < count; ++k) {
    const mlgc_i32 number = order[k];
    offsets[number] = 0;
    if (buffers[number].bytes == 0) continue;
    for (; live_count > 0 && buffers[live[0]].last < buffers[number].first; --live_count) {
      const mlgc_i32 dead = live[0];
      std::pop_heap(live, live + live_count, later);
      next[dead] = free[size_class(dead)];
      free[size_class(dead)] = dead;
    }
    const int k_class = size_class(number);
    if (free[k_class] >= 0) {
      offsets[number] = offsets[free[k_class]];
      free[k_class] = next[free[k_class]];
    } else {
      if (base > kMost - (kArenaAlignment << k_class)) return -1;
      offsets[number] = base;
      base += kArenaAlignment << k_class;
    }
    live[live_count++] = number;
    std::push_heap(live, live + live_count, later);
  }
  return base;
}

}  // namespace

mlgc_i64 layout_arena(const ArenaBuffer* buffers, mlgc_i32 count, mlgc_i64* offsets, mlgc_i32* workspace) {
  mlgc_i32* const order = workspace;
  for (mlgc_i32 i = 0; i < count; ++i) {
    if (buffers[i].bytes > kLargest) return -1;
    order[i] = i;
  }
  std::sort(order, order + count, [&](mlgc_i32 a, mlgc_i32 b) {
    return buffers[a].bytes != buffers[b].bytes ? buffers[a].bytes > buffers[b].bytes : a < b;
  });
  const mlgc_i32 exact = std::min(count, kExactBuffers);
  const mlgc_i64 peak = place_exactly(buffers, order, exact, offsets, workspace + count);
  if (peak < 0 || exact == count) return peak;
  return place_by_time(buffers, order + exact, count - exact, peak, offsets, workspace + count,
                       workspace + count + count);
}

}  // namespace mlgc::runtime
