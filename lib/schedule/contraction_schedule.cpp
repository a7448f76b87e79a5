// See contraction_schedule.h.
#include "schedule/contraction_schedule.h"

#include <algorithm>
#include <unordered_set>

#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "schedule/along_loop.h"
#include "schedule/loop_edit.h"
#include "schedule/wide_sum.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

constexpr std::int64_t kTileScalars = 12;   // sums in 16 registers
constexpr std::int64_t kSumLanes = 16;      // partial sums of an element, where the sum has the lanes
constexpr std::int64_t kMostRows = 12;      // copies of a row
constexpr std::int64_t kMostOfBusyRow = 4;  // likewise where a row does more than the contraction
constexpr std::int64_t kFewestPacked = 2;   // rows that make packing worth it
constexpr std::int64_t kFewestOfFar = 96;   // likewise where lanes would read what follows each other, but far apart
constexpr std::int64_t kNearBytes = std::int64_t{512} << 10U;  // of an operand that needs no packing for that
constexpr std::int64_t kFewestOfSum = 64;        // likewise where lanes over the sum would read what follows each other
constexpr std::int64_t kLongRow = 512;           // terms from which on it costs little that lanes come together
constexpr std::int64_t kBusyResult = 16;         // scalar operations on a sum that lanes would save
constexpr std::int64_t kFewestOfBlock = 32;      // likewise in a block of rows that packs for itself
constexpr std::int64_t kFewestShares = 12;       // sums that read each element, so that it is worth it to keep it near
constexpr std::int64_t kFewestLanes = 4;         // shorter loops stay scalar
constexpr std::int64_t kFewColumns = 8;          // fewer leave most lanes without work
constexpr std::int64_t kFewestBetween = 32;      // terms of a sum, beside which it is little to store lane by lane
constexpr std::int64_t kShortSum = 4;            // terms of a sum that is carried as the lowering says
constexpr std::int64_t kTermsOfBlock = 512;      // that one accumulator of f32 takes in
constexpr std::int64_t kMostTerms = 768;         // that it takes in where there are no more
constexpr std::int64_t kFewestOfTerms = 128;     // of a loop in another one of the same sum, that are a block
constexpr std::int64_t kLongContraction = 4096;  // terms from which on a sum goes by tiles
constexpr std::int64_t kTileTerms = 512;         // terms of a tile, at least: what is read for them stays near
constexpr std::int64_t kLeastReads = 4;          // elements that are read for each partial sum that tiles leave
constexpr std::int64_t kMostBlocks = 4096;       // of rows, that a number of rows is tried to be divided into
constexpr std::int64_t kFewTiles = 8;            // too few for threads: rows stay outside of the tiles of columns

// The loads in a loop that differ along it, or do not.
std::vector<OpRef> loads_in(OpRef loop) {
  std::vector<OpRef> out;
  walk(loop, [&](OpRef op) {
    if (op.is(LoopOp::Load)) out.push_back(op);
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
  return !ForRef::from(inner).valid() || (next.valid() && !next.is(LoopOp::Yield)) ? OpRef() : inner;
}

// From `rows` to `columns` each loop has nothing in it but the next one.
bool is_nest(OpRef rows, OpRef columns) {
  OpRef at = rows;
  while (at.valid() && at != columns) at = only_loop_in(at);
  return at.valid();
}
// With the rows inside of all other loops, but the columns, there are enough iterations for threads.
bool leaves_threads(OpRef rows, OpRef columns) {
  if (ForRef::from(rows).kind() != LoopKind::Parallel) return true;
  std::vector<OpRef> outside = loops_around(rows);
  if (is_nest(rows, columns))
    for (OpRef at = columns.parent_op(); at != rows; at = at.parent_op()) outside.push_back(at);
  return std::any_of(outside.begin(), outside.end(), [](OpRef loop) {
    return ForRef::from(loop).kind() == LoopKind::Parallel && extent(loop).value_or(kFewTiles) >= kFewTiles;
  });
}

// How many elements the load reads while the loops run.
std::int64_t elements_along(OpRef load, const std::vector<OpRef>& loops) {
  std::int64_t out = 1;
  for (const OpRef loop : loops)
    if (varies(varying_values(ForRef::from(loop)), load)) out = saturating_mul(out, extent(loop).value_or(0));
  return out;
}

// The loop and those inside.
std::vector<OpRef> loops_of(OpRef loop) {
  std::vector<OpRef> out;
  walk(loop, [&](OpRef op) {
    if (ForRef::from(op).valid()) out.push_back(op);
  });
  return out;
}

// The loads in the sum that all rows share and that lanes over the columns would be slow at: under guards, not of
// elements that follow each other, or of so many that a strip of columns, line by line, does not stay near. None where
// there are others of them, or too few rows.
std::vector<OpRef> loads_to_pack(OpRef sum, OpRef columns, OpRef rows) {
  const auto across = varying_values(ForRef::from(columns)), along = varying_values(ForRef::from(rows));
  const bool apart = AlongLoop{ForRef::from(columns)}.inner_loads.apart() > 0;
  std::vector<OpRef> out;
  const std::int64_t count = extent(rows).value_or(kFewestPacked);
  if (count < kFewestPacked) return out;
  std::vector<OpRef> loops = loops_of(sum);
  loops.push_back(columns);
  for (const OpRef load : loads_in(sum)) {
    const auto element_bytes = static_cast<std::int64_t>(dtype_info(load.result().dtype()).bytes);
    const std::int64_t bytes = saturating_mul(elements_along(load, loops), element_bytes);
    const bool far = count >= kFewestOfFar && bytes > kNearBytes;
    if (!varies(across, load) || !(apart || far || load.parent_op().is(LoopOp::If))) continue;
    if (varies(along, load)) return {};
    out.push_back(load);
  }
  return out;
}

// Lanes over the sum would read elements that follow each other.
bool goes_along(OpRef sum) {
  if (!loops_in(sum.region(0)).empty() || extent(sum).value_or(kSumLanes) < kSumLanes) return false;
  const AlongLoop along{ForRef::from(sum)};
  return along.loads.next > 0 && along.loads.apart() == 0;
}

// What comes behind each sum, lane by lane, is little beside it.
bool pays_along(OpRef sum, OpRef columns) {
  return extent(sum).value_or(kLongRow) >= kLongRow && AlongLoop{ForRef::from(columns)}.work < kBusyResult;
}

std::int64_t carried_bytes(OpRef sum) {
  const ForRef of = ForRef::from(sum);
  return static_cast<std::int64_t>(dtype_info(of.carried(0).dtype()).bytes);
}

// Lanes for so many columns: the widest strips that do not compute much for nothing. The last one, where it is not
// full, counts as `rest` of them.
std::int64_t strip_lanes(std::optional<std::int64_t> columns, std::int64_t widest, std::int64_t rest) {
  if (!columns) return widest;
  std::int64_t best = kFewestLanes, least = 0;
  for (std::int64_t lanes = kFewestLanes; lanes <= widest; lanes *= 2) {
    const std::int64_t strips = saturating_add(*columns / lanes, *columns % lanes == 0 ? 0 : rest);
    // A strip costs what its lanes do, and something by itself: the factors that its rows share out.
    const std::int64_t cost = saturating_mul(strips, lanes + widest / 4);
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

// The partial sums of all tiles are few beside the elements that the sum reads.
std::int64_t ContractionScheduler::terms_of_tile(OpRef sum) const {
  std::vector<OpRef> loops = loops_of(sum);
  const std::vector<OpRef> around = loops_around(sum);
  std::int64_t terms = 1, results = 1, read = 0;
  for (const OpRef loop : loops) terms = saturating_mul(terms, extent(loop).value_or(0));
  for (const OpRef loop : around) results = saturating_mul(results, extent(loop).value_or(0));
  if (terms < kLongContraction || results == 0) return 0;
  std::vector<std::int64_t> loaded;
  loops.insert(loops.end(), around.begin(), around.end());
  for (const OpRef load : loads_in(sum)) {
    loaded.push_back(elements_along(load, loops));
    read = saturating_add(read, loaded.back());
  }
  for (const std::int64_t elements : loaded)
    if (saturating_mul(terms, results) < saturating_mul(kFewestShares, elements)) return 0;
  const std::int64_t count = *extent(sum), inner = terms / count;
  const std::int64_t most = read / saturating_mul(kLeastReads, results);
  if (most < 2) return 0;
  const std::int64_t size = std::max(ceil_div(kTileTerms, inner), ceil_div(count, most));
  return size < count ? size : 0;
}

void ContractionScheduler::split_divided_loops() {
  for (const OpRef nest : loops_in(func_.region(0))) {
    if (is_scheduled(nest) || sums_in(nest).empty()) continue;
    for (const OpRef loop : loops_of(nest)) {
      const std::int64_t count = extent(loop).value_or(0);
      for (const std::int64_t size : divisors_in_subscripts(loop))
        if (size > 1 && size < count && count % size == 0) {
          (void)take("split-quotients", loop, NumericsClass::Exact, counts_.tiled,
                     [&] { return split_quotients(loop, size, facts_); });
          break;
        }
    }
  }
}

void ContractionScheduler::split_contractions() {
  if (!admits(numerics_, NumericsClass::Reassociate, true)) return;
  for (const OpRef nest : loops_in(func_.region(0))) {
    if (is_scheduled(nest) || ForRef::from(nest).carried_count() > 0) continue;
    for (const OpRef sum : sums_in(nest))
      if (const std::int64_t size = terms_of_tile(sum); size > 0)
        (void)take("rfactor", sum, NumericsClass::Reassociate, counts_.tiled,
                   [&] { return rfactor(sum, size, facts_); });
  }
}

ContractionScheduler::Tiles ContractionScheduler::plan_contractions(OpRef nest) {
  Tiles tiles;
  if (ForRef::from(nest).carried_count() > 0) return tiles;
  for (const OpRef sum : sums_in(nest)) {
    const std::vector<OpRef> around = loops_around(sum);
    if (!plan_outer_columns(sum, around, tiles) && !plan_columns(sum, around, tiles)) plan_sum(sum, around, tiles);
  }
  return tiles;
}

void ContractionScheduler::narrow_sum(OpRef sum) {
  if (extent(sum).value_or(kShortSum + 1) > kShortSum || !loops_in(sum.region(0)).empty()) narrow_sums(sum);
}

// Of many terms blocks are added in f32, and their sums in f64: one accumulator for all would lose more than PyTorch's.
void ContractionScheduler::narrow_blocks_of(OpRef sum) {
  // Blocks are iterations of the outermost loop that has less than a block's terms in each.
  OpRef loop = sum;
  while (!loops_in(loop.region(0)).empty()) loop = loops_in(loop.region(0)).front();
  std::int64_t inner = 1;
  for (; loop != sum && extent(loop); loop = loop.parent_op()) {
    const std::int64_t terms = saturating_mul(inner, *extent(loop));
    if (terms >= kFewestOfTerms) break;
    inner = terms;
  }
  const auto count = extent(loop);
  const std::int64_t iterations = count.value_or(INT64_MAX), terms = saturating_mul(iterations, inner);
  if (loop == sum && terms <= kMostTerms) return narrow_sum(sum);
  if (!admits(numerics_, NumericsClass::Reassociate, true)) return;
  const std::int64_t most = std::max<std::int64_t>(1, kTermsOfBlock / std::max<std::int64_t>(1, inner));
  const std::int64_t size = count ? ceil_div(iterations, ceil_div(iterations, most)) : most;
  (void)take("narrow", loop, NumericsClass::Reassociate, counts_.narrowed,
             [&] { return narrow_blocks(loop, size, facts_); });
}

// Enough blocks of rows for threads, each with as many as make packing for it alone worth it.
bool ContractionScheduler::share_blocks(OpRef rows, std::int64_t fewest) {
  const std::int64_t count = extent(rows).value_or(0);
  for (std::int64_t blocks = kFewTiles; blocks <= std::min(count / fewest, kMostBlocks); ++blocks)
    if (count % blocks == 0) return tile_by(rows, count / blocks);
  return false;
}

void ContractionScheduler::add_tile(OpRef loop, std::int64_t most, Tiles& tiles) {
  for (Tile& tile : tiles)
    if (tile.loop == loop) {
      tile.most = std::min(tile.most, most);
      return;
    }
  tiles.push_back({loop, most});
}

// for j { for i { sum } } with few i becomes for j_o { for i { for j in lanes { sum } } }, what the sum reads along j
// being packed once, in front of all loops that share it.
bool ContractionScheduler::plan_outer_columns(OpRef sum, const std::vector<OpRef>& around, Tiles& tiles) {
  const OpRef few = around.front();
  if (extent(few).value_or(kFewColumns) >= kFewColumns || is_column_loop(few) || goes_along(sum)) return false;
  std::int64_t terms = 1;
  for (const OpRef loop : loops_of(sum)) terms = saturating_mul(terms, extent(loop).value_or(1));
  const auto found = std::find_if(around.begin() + 1, around.end(), [&](OpRef loop) {
    return extent(loop).value_or(0) >= kFewColumns && shares(loop, few, sum) && shares(few, loop, sum) &&
           is_nest(loop, few);
  });
  if (terms < kFewestBetween || found == around.end() || ForRef::from(few).kind() == LoopKind::Vector) return false;
  const auto across = varying_values(ForRef::from(*found));
  std::vector<OpRef> packed = loads_in(sum);
  std::erase_if(packed, [&](OpRef load) { return !varies(across, load); });
  const auto read_along = [&](OpRef loop) {
    const auto along = varying_values(ForRef::from(loop));
    return std::any_of(packed.begin(), packed.end(), [&](OpRef load) { return varies(along, load); });
  };
  if (read_along(few)) return false;
  const bool shared_columns = ForRef::from(*found).kind() == LoopKind::Parallel;
  OpRef columns = *found;
  for (OpRef inner = only_loop_in(columns); inner.valid(); inner = only_loop_in(columns)) {
    if (!take("interchange", columns, NumericsClass::Exact, counts_.tiled,
              [&] { return interchange(columns, facts_); }))
      return false;
    columns = inner;
  }
  const bool narrows = wide_reduction(ForRef::from(sum), 0) && admits(numerics_, NumericsClass::Reassociate, true);
  const std::int64_t bytes = narrows ? 4 : carried_bytes(sum), count = *extent(columns);
  const std::int64_t lanes = strip_lanes(count, registers_.strip_bytes() / bytes, registers_.many() ? 1 : 2);
  if (!take("vectorize", columns, NumericsClass::Exact, counts_.vectorized,
            [&] { return vectorize(columns, lanes, facts_); }))
    return true;
  if (count > lanes && tile_by(columns, lanes)) {
    OpRef strips = columns.parent_op();
    if (shared_columns) (void)parallelize(strips, facts_);
    for (OpRef outer = strips.parent_op();
         ForRef::from(outer).valid() && only_loop_in(outer) == strips && !read_along(outer);
         outer = strips.parent_op()) {
      if (!take("interchange", outer, NumericsClass::Exact, counts_.tiled, [&] { return interchange(outer, facts_); }))
        break;
      strips = outer;
    }
  }
  const OpRef rows = columns.parent_op();
  OpRef nest = rows;
  for (OpRef outer = nest.parent_op(); ForRef::from(outer).valid() && only_loop_in(outer) == nest && !read_along(outer);
       outer = nest.parent_op())
    nest = outer;
  // In front of a nest in no other loop any thread reads it; in a loop each iteration has its own.
  const bool outermost = loops_around(nest).empty();
  std::vector<OpRef> parallel;
  for (const OpRef loop : loops_of(nest))
    if (ForRef::from(loop).kind() == LoopKind::Parallel) parallel.push_back(loop);
  for (const OpRef loop : parallel) ForRef::from(loop).set_kind(LoopKind::Serial);
  for (const OpRef load : packed)
    if (take("pack", load, NumericsClass::Exact, counts_.staged, [&] { return pack(load, nest); }))
      give_packing_lanes(nest.previous());
  if (outermost)
    for (const OpRef loop : parallel) ForRef::from(loop).set_kind(LoopKind::Parallel);
  collapse_all(sum);
  narrow_blocks_of(sum);
  const std::int64_t row_bytes = std::max(registers_.vector_bytes, lanes * bytes);
  add_tile(rows, std::min(kMostRows, registers_.sum_bytes() / row_bytes), tiles);
  return true;
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
  const auto count = extent(columns);
  const bool narrows = wide_reduction(ForRef::from(sum), 0) && admits(numerics_, NumericsClass::Reassociate, true);
  const std::int64_t bytes = narrows ? 4 : carried_bytes(sum);
  const auto lanes_of = [&](const SumRegisters& registers) {
    return strip_lanes(count, registers.strip_bytes() / bytes, registers.many() ? 1 : 2);
  };
  const std::int64_t lanes = lanes_of(registers_);
  const bool nested = is_nest(rows, columns);
  // The same for all vectors: whether a sum goes along its terms depends on it.
  const std::int64_t few = kFewTiles * lanes_of(SumRegisters{});
  const bool shared_strips = nested && count.value_or(few) >= few;
  const std::int64_t fewest = goes_along(sum) ? kFewestOfSum : kFewestOfBlock;
  if (goes_along(sum) && (extent(rows).value_or(0) < fewest || pays_along(sum, columns))) packed.clear();
  const bool plain = is_column_loop(columns);
  if (!plain && (packed.empty() || !is_column_loop(columns, true))) return false;
  const bool threads =
      packed.empty() || leaves_threads(rows, columns) || shared_strips || (nested && share_blocks(rows, fewest));
  // What lanes would read one by one costs more than that fewer threads have work.
  if (!threads && plain) packed.clear();
  const bool few_threads = !threads && !packed.empty();
  if (ForRef::from(columns).kind() == LoopKind::Vector) {  // of another sum of the same elements: both are in registers
    narrow_blocks_of(sum);
    for (Tile& tile : tiles)
      if (tile.loop == rows) tile.most = std::max<std::int64_t>(1, tile.most / 2);
    return true;
  }
  if (!take("vectorize", columns, NumericsClass::Exact, counts_.vectorized,
            [&] { return vectorize(columns, lanes, facts_); }))
    return true;
  if ((nested || packed.empty()) && (!count || *count > lanes) && tile_by(columns, lanes)) {
    const OpRef strips = columns.parent_op();
    if (ForRef::from(rows).kind() == LoopKind::Parallel) (void)parallelize(strips, facts_);
  }
  if (nested && (few_threads ? columns.parent_op() != rows : leaves_threads(rows, columns))) rows = sink(rows, columns);
  if (!packed.empty() && (few_threads || is_parallel_inside(rows))) {
    // What stands in front of the whole nest is read by any thread.
    const bool shared = ForRef::from(rows).kind() == LoopKind::Parallel && loops_around(rows).empty();
    ForRef::from(rows).set_kind(LoopKind::Serial);
    for (const OpRef load : packed)
      if (take("pack", load, NumericsClass::Exact, counts_.staged, [&] { return pack(load, rows); }))
        give_packing_lanes(rows.previous());
    if (shared) ForRef::from(rows).set_kind(LoopKind::Parallel);
    collapse_all(sum);
  }
  narrow_blocks_of(sum);
  const std::int64_t row_bytes = std::max(registers_.vector_bytes, lanes * bytes);
  add_tile(rows, std::min(kMostRows, registers_.sum_bytes() / row_bytes), tiles);
  return true;
}

void ContractionScheduler::give_packing_lanes(OpRef loop) {
  OpRef across;
  for (OpRef inner = only_loop_in(loop); inner.valid(); inner = only_loop_in(inner)) {
    across = loop;
    loop = inner;
  }
  if (across.valid() && is_transposition(across, loop, kSquare) && transpose({across, loop}, 1)) return;
  if (AlongLoop{ForRef::from(loop)}.loads.apart() == 0) return;
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
  if (!goes_along(sum)) return;
  // In the strips of another sum's columns each lane has a sum of its own.
  if (std::any_of(around.begin(), around.end(),
                  [](OpRef loop) { return ForRef::from(loop).kind() == LoopKind::Vector; }))
    return narrow_sum(sum);
  std::erase_if(around, [&](OpRef loop) { return !shares(loop, sum, sum); });
  if (around.empty()) return;
  // Sums that stay in their order are scalars, several of which have no need to wait for each other.
  const bool lanes = admits(numerics_, NumericsClass::Reassociate, true);
  if (lanes && !take("vectorize", sum, NumericsClass::Reassociate, counts_.vectorized,
                     [&] { return vectorize(sum, kSumLanes, facts_); }))
    return;
  narrow_sum(sum);
  const std::int64_t wide = registers_.sum_columns();
  if (around.size() == 1) return add_tile(around[0], 2 * wide, tiles);
  OpRef columns = around[0], rows = around[1];
  // Columns outside: each is read once.
  if (extent(columns).value_or(kFewTiles) >= kFewTiles &&
      take("interchange", rows, NumericsClass::Exact, counts_.tiled, [&] { return interchange(rows, facts_); }))
    std::swap(columns, rows);
  const std::int64_t fit = lanes ? registers_.sum_bytes() / (kSumLanes * carried_bytes(sum)) : kTileScalars;
  add_tile(columns, wide, tiles);
  add_tile(rows, std::max<std::int64_t>(1, fit / wide), tiles);
}

void ContractionScheduler::jam_contractions(Tiles tiles) {
  const auto depth = [](const Tile& tile) { return loops_around(tile.loop).size(); };
  std::stable_sort(tiles.begin(), tiles.end(), [&](const Tile& a, const Tile& b) { return depth(a) > depth(b); });
  for (const auto& [loop, most] : tiles) {
    const std::int64_t fit = AlongLoop{ForRef::from(loop)}.allocates ? std::min(most, kMostOfBusyRow) : most;
    const auto count = extent(loop);
    if (fit < 2 || (count && *count < 2)) continue;
    // As many in each as the number of tiles asks for.
    const std::int64_t copies = count ? ceil_div(*count, ceil_div(*count, fit)) : fit;
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
