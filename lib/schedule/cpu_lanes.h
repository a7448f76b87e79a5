// Private to lib/schedule: lanes of a CPU, as its strategies give them.
#pragma once

#include <cstdint>
#include <string>

#include "schedule/along_loop.h"
#include "schedule/scheduler.h"

namespace mlgc::schedule {

// Whether lanes can each run the loops inside by themselves, since in all of these they read and write neighbours.
enum class ColumnNeeds : std::uint8_t {
  Plain,
  Packed,   // they need not read neighbours
  MayKeep,  // they may write in strides, and an iteration may have scratch
  Running,  // likewise, and they may read at places that data say: there are no other lanes to be had
  Rows,     // likewise, and they may read in strides: each has a short row of its own
};
[[nodiscard]] Match match_columns(OpRef loop, const AlongLoop& along, ColumnNeeds needs = ColumnNeeds::Plain);
[[nodiscard]] bool is_column_loop(OpRef loop, bool packed = false);

// A loop inside carries a contraction, a factor of which some loop around shares.
[[nodiscard]] bool holds_products(OpRef loop);

// All loops in the region are windows: of a constant size, no longer than `limit`, and they reduce. `most`: the terms
// of the longest, each `around` times.
[[nodiscard]] Match match_windows(RegionRef region, std::int64_t around, std::int64_t limit, std::int64_t& most);
// Lanes of a loop whose iterations have windows.
[[nodiscard]] std::int64_t window_lanes_of(OpRef loop);

// `lanes`, or fewer where the loop has no constant extent but one that is known to be smaller, as the rest of a loop in
// strips has.
[[nodiscard]] std::int64_t lanes_that_may_fill(OpRef loop, std::int64_t lanes, const Facts& facts);

// From `fewest` to `most` lanes, fewer where that leaves fewer of them without an element in the last strip, each of
// which costs as much as others: where lanes are loaded one by one.
[[nodiscard]] std::int64_t lanes_without_rest(OpRef loop, std::int64_t fewest, std::int64_t most);

// Gives lanes to a loop that shows to be fit for them. One that would be parallelised, and stands in no other
// that is, is tiled first. False: refused, and nothing is changed.
bool give_lanes_by(Scheduler& scheduler, OpRef loop, std::int64_t tile_size, std::int64_t most_lanes);
// Sums of many terms, or of unknown trip count: PyTorch's are sums of sums too, and lose less than one accumulator.
void narrow_long(Scheduler& scheduler, OpRef loop, std::int64_t size);
// Short sums stay in f64: that costs little, and leaves the rounding to what comes before and after.
void narrow_unless_short(Scheduler& scheduler, OpRef loop);

}  // namespace mlgc::schedule
