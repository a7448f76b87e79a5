// See contraction_schedule.h.
#include "schedule/contraction_schedule.h"

#include <algorithm>
#include <unordered_set>

#include "ir/walk.h"
#include "schedule/along_loop.h"
#include "schedule/loop_edit.h"

namespace mlgc::schedule {

namespace {

constexpr std::int64_t kTileVectors = 24;   // of 64 bytes, for sums
constexpr std::int64_t kTileScalars = 12;   // likewise, of 16 registers
constexpr std::int64_t kStripBytes = 256;   // of sums: 4 vectors of a row share each of its factors
constexpr std::int64_t kSumLanes = 16;      // partial sums of an element, where the sum has the lanes
constexpr std::int64_t kSumColumns = 4;     // elements of a row, likewise
constexpr std::int64_t kMostRows = 12;      // copies of a row
constexpr std::int64_t kMostOfBusyRow = 4;  // likewise where a row does more than the contraction
constexpr std::int64_t kFewestPacked = 2;   // rows that make packing worth it
constexpr std::int64_t kFewestLanes = 4;    // shorter loops stay scalar
constexpr std::int64_t kShortSum = 16;      // terms of a sum that is carried as the lowering says
constexpr std::int64_t kFewTiles = 8;       // too few for threads: rows stay outside of the tiles of columns

// The loads in a loop that differ along it, or do not.
std::vector<OpRef> loads_in(OpRef loop) {
  std::vector<OpRef> out;
  walk(loop, [&](OpRef op) {
    if (op.is("load")) out.push_back(op);
  });
  return out;
}
bool varies(const std::unordered_set<ValueId>& varying, OpRef op) {
  const auto operands = op.operands();
  return std::any_of(operands.begin(), operands.end(), [&](Value v) { return varying.contains(v.id()); });
}
// Iterations of `loop` share a load in `sum` which differs along `other`.
bool shares(OpRef loop, OpRef other, OpRef sum) {
  const auto along = varying_values(ForRef::from(loop)), across = varying_values(ForRef::from(other));
  const std::vector<OpRef> loads = loads_in(sum);
  return std::any_of(loads.begin(), loads.end(),
                     [&](OpRef load) { return varies(across, load) && !varies(along, load); });
}

// The sums of products in the nest that stand in another loop, each without those that it carries on.
std::vector<OpRef> sums_in(OpRef nest) {
  std::vector<OpRef> out;
  for (const OpRef loop : loops_in(nest.region(0))) {
    const ForRef of = ForRef::from(loop);
    if (of.carried_count() == 1 && is_sum_of_products(of)) {
      out.push_back(loop);
      continue;
    }
    const std::vector<OpRef> inner = sums_in(loop);
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}
// From the inside.
std::vector<OpRef> loops_around(OpRef op) {
  std::vector<OpRef> out;
  for (OpRef at = op.parent_op(); at.valid(); at = at.parent_op())
    if (ForRef::from(at).valid()) out.push_back(at);
  return out;
}

// The only op in the body of a loop, if that is a loop.
OpRef only_loop_in(OpRef loop) {
  const OpRef inner = loop.region(0).front();
  const OpRef next = ForRef::from(inner).valid() ? inner.next() : OpRef();
  return !ForRef::from(inner).valid() || (next.valid() && !next.is("yield")) ? OpRef() : inner;
}

// From `rows` to `columns` each loop has nothing in it but the next one.
bool is_nest(OpRef rows, OpRef columns) {
  OpRef at = rows;
  while (at.valid() && at != columns) at = only_loop_in(at);
  return at.valid();
}
// With the rows inside of all other loops, but the columns, there are enough iterations for threads.
bool leaves_threads(OpRef rows, OpRef columns) {
  if (ForRef::from(rows).kind() != "parallel") return true;
  std::vector<OpRef> outside = loops_around(rows);
  if (is_nest(rows, columns))
    for (OpRef at = columns.parent_op(); at != rows; at = at.parent_op()) outside.push_back(at);
  return std::any_of(outside.begin(), outside.end(), [](OpRef loop) {
    return ForRef::from(loop).kind() == "parallel" && extent(loop).value_or(kFewTiles) >= kFewTiles;
  });
}

// The loads in the sum that all rows share and that lanes over the columns would be slow at: under guards, or not of
// elements that follow each other. None where there are others of them, or too few rows.
std::vector<OpRef> loads_to_pack(OpRef sum, OpRef columns, OpRef rows) {
  const auto across = varying_values(ForRef::from(columns)), along = varying_values(ForRef::from(rows));
  const bool apart = AlongLoop{ForRef::from(columns)}.inner_loads.apart() > 0;
  std::vector<OpRef> out;
  if (extent(rows).value_or(kFewestPacked) < kFewestPacked) return out;
  for (const OpRef load : loads_in(sum)) {
    if (!varies(across, load) || !(apart || load.parent_op().is("if"))) continue;
    if (varies(along, load)) return {};
    out.push_back(load);
  }
  return out;
}

std::int64_t carried_bytes(OpRef sum) {
  const ForRef of = ForRef::from(sum);
  return static_cast<std::int64_t>(dtype_info(of.carried(0).dtype()).bytes);
}

// Lanes for so many columns: the widest strips that do not compute much for nothing.
std::int64_t strip_lanes(std::optional<std::int64_t> columns, std::int64_t widest) {
  if (!columns) return widest;
  std::int64_t best = kFewestLanes, least = 0;
  for (std::int64_t lanes = kFewestLanes; lanes <= widest; lanes *= 2) {
    const std::int64_t strips = (*columns + lanes - 1) / lanes;
    // A strip costs what its lanes do, and something by itself: the factors that its rows share out.
    const std::int64_t cost = strips * (lanes + widest / 4);
    if (least == 0 || cost <= least) {
      least = cost;
      best = lanes;
    }
  }
  return best;
}

}  // namespace

bool ContractionScheduler::is_column_loop(OpRef loop, bool packed) {
  const AlongLoop along{ForRef::from(loop)};
  return along.has_loops && ForRef::from(loop).carried_count() == 0 && !along.has_vectors && !along.allocates &&
         !along.launches && !along.bounds_vary && along.stores.next > 0 && along.stores.apart() == 0 &&
         (packed || (along.loads.next > 0 && along.inner_loads.apart() == 0)) &&
         extent(loop).value_or(kFewestLanes) >= kFewestLanes;
}

ContractionScheduler::Tiles ContractionScheduler::plan_contractions(OpRef nest) {
  Tiles tiles;
  if (ForRef::from(nest).carried_count() > 0) return tiles;
  for (const OpRef sum : sums_in(nest)) {
    const std::vector<OpRef> around = loops_around(sum);
    if (!plan_columns(sum, around, tiles)) plan_sum(sum, around, tiles);
  }
  return tiles;
}

void ContractionScheduler::narrow_sum(OpRef sum) {
  if (extent(sum).value_or(kShortSum + 1) > kShortSum || !loops_in(sum.region(0)).empty()) narrow_sums(sum);
}

void ContractionScheduler::add_tile(OpRef loop, std::int64_t most, Tiles& tiles) {
  for (Tile& tile : tiles)
    if (tile.loop == loop) {
      tile.most = std::min(tile.most, most);
      return;
    }
  tiles.push_back({loop, most});
}

// for i { for j { sum } } becomes for j_o { for i_o { for j in lanes { a sum that carries those of the rows } } }. What
// the sum reads of the columns under guards, or in strides, is packed between the two outer loops.
bool ContractionScheduler::plan_columns(OpRef sum, const std::vector<OpRef>& around, Tiles& tiles) {
  const OpRef columns = around.front();
  const auto found =
      std::find_if(around.begin() + 1, around.end(), [&](OpRef loop) { return shares(loop, columns, sum); });
  if (found == around.end()) return false;
  OpRef rows = *found;
  std::vector<OpRef> packed = loads_to_pack(sum, columns, rows);
  if (!leaves_threads(rows, columns)) packed.clear();
  if (!is_column_loop(columns) && !(is_column_loop(columns, true) && !packed.empty())) return false;
  narrow_sum(sum);
  if (ForRef::from(columns).kind() == "vector") {  // of another sum of the same elements: both are in registers
    for (Tile& tile : tiles)
      if (tile.loop == rows) tile.most = std::max<std::int64_t>(1, tile.most / 2);
    return true;
  }
  const auto count = extent(columns);
  const std::int64_t bytes = carried_bytes(sum), lanes = strip_lanes(count, kStripBytes / bytes);
  if (!take("vectorize", columns, NumericsClass::Exact, counts_.vectorized,
            [&] { return vectorize(columns, lanes, facts_); }))
    return true;
  const bool nested = is_nest(rows, columns);
  if ((nested || packed.empty()) && (!count || *count > lanes) && tile_by(columns, lanes)) {
    const OpRef strips = columns.parent_op();
    if (ForRef::from(rows).kind() == "parallel") (void)parallelize(strips, facts_);
  }
  if (nested && leaves_threads(rows, columns)) rows = sink(rows, columns);
  if (!packed.empty() && is_parallel_inside(rows)) {
    set_kind(rows, "serial");
    for (const OpRef load : packed)
      if (take("pack", load, NumericsClass::Exact, counts_.staged, [&] { return pack(load, rows); }))
        leave_packing_serial(rows.previous());
    collapse_all(sum);
  }
  add_tile(rows, std::min(kMostRows, kTileVectors * 64 / std::max<std::int64_t>(64, lanes * bytes)), tiles);
  return true;
}

void ContractionScheduler::leave_packing_serial(OpRef loop) {
  for (OpRef inner = only_loop_in(loop); inner.valid(); inner = only_loop_in(inner)) loop = inner;
  leave_serial(loop, "lanes would read one by one what it packs");
  packing_.push_back(loop);
}

// Lets rows change places with the loops between them and the columns, so that what a strip of columns reads stays near
// for all of them. What is the loop over rows then.
OpRef ContractionScheduler::sink(OpRef rows, OpRef columns) {
  std::vector<OpRef> between;
  for (OpRef at = columns.parent_op(); at != rows; at = at.parent_op()) between.push_back(at);
  for (std::size_t i = 0; i < between.size(); ++i) {
    const OpRef inner = only_loop_in(rows);
    // The loops change places by what the ops say.
    if (!inner.valid() ||
        !take("interchange", rows, NumericsClass::Exact, counts_.tiled, [&] { return interchange(rows, facts_); }))
      break;
    rows = inner;
  }
  return rows;
}

// for i { for j { sum } } becomes for j_o { for i_o { a sum in lanes for each i and j of the tile } }.
void ContractionScheduler::plan_sum(OpRef sum, std::vector<OpRef> around, Tiles& tiles) {
  if (!loops_in(sum.region(0)).empty() || extent(sum).value_or(kSumLanes) < kSumLanes) return;
  const AlongLoop along{ForRef::from(sum)};
  if (along.loads.next == 0 || along.loads.apart() > 0) return;
  std::erase_if(around, [&](OpRef loop) { return !shares(loop, sum, sum); });
  if (around.empty()) return;
  // Sums that stay in their order are scalars, several of which have no need to wait for each other.
  const bool lanes = admits(numerics_, NumericsClass::Reassociate, true);
  if (lanes && !take("vectorize", sum, NumericsClass::Reassociate, counts_.vectorized,
                     [&] { return vectorize(sum, kSumLanes, facts_); }))
    return;
  narrow_sum(sum);
  if (around.size() == 1) return add_tile(around[0], 2 * kSumColumns, tiles);
  OpRef columns = around[0], rows = around[1];
  // Columns outside: each is read once.
  if (extent(columns).value_or(kFewTiles) >= kFewTiles &&
      take("interchange", rows, NumericsClass::Exact, counts_.tiled, [&] { return interchange(rows, facts_); }))
    std::swap(columns, rows);
  const std::int64_t fit = lanes ? kTileVectors * 64 / (kSumLanes * carried_bytes(sum)) : kTileScalars;
  add_tile(columns, kSumColumns, tiles);
  add_tile(rows, std::max<std::int64_t>(1, fit / kSumColumns), tiles);
}

void ContractionScheduler::jam_contractions(Tiles tiles) {
  const auto depth = [](const Tile& tile) { return loops_around(tile.loop).size(); };
  std::stable_sort(tiles.begin(), tiles.end(), [&](const Tile& a, const Tile& b) { return depth(a) > depth(b); });
  for (const auto& [loop, most] : tiles) {
    const std::int64_t fit = AlongLoop{ForRef::from(loop)}.allocates ? std::min(most, kMostOfBusyRow) : most;
    const auto count = extent(loop);
    if (fit < 2 || (count && *count < 2)) continue;
    // As many in each as the number of tiles asks for.
    const std::int64_t number = count ? (*count + fit - 1) / fit : 0;
    const std::int64_t copies = count ? (*count + number - 1) / number : fit;
    OpRef rest;
    if (count != copies) {
      if (!take("tile", loop, NumericsClass::Exact, counts_.tiled,
                [&] { return tile(loop, copies, Tail::Loop, facts_); }))
        continue;
      if (!count || *count % copies > 1) rest = loop.parent_op().next();
    }
    const auto jam_all = [&](OpRef of) {
      (void)take("jam", of, NumericsClass::Exact, counts_.jammed, [&] { return jam(of, 0, facts_); });
    };
    jam_all(loop);
    if (count && rest.valid()) jam_all(rest);
  }
}

}  // namespace mlgc::schedule
