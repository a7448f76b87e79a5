// See gpu_schedule.h.
#include "schedule/gpu_schedule.h"

#include <algorithm>
#include <bit>

#include "ir/walk.h"
#include "schedule/along_loop.h"
#include "schedule/loop_edit.h"
#include "schedule/step_taker.h"

namespace mlgc {

using namespace schedule;

namespace {

constexpr std::int64_t kUsualRow = 2048;      // elements of a row of unknown length
constexpr std::int64_t kElements = 8;         // of a row that a thread takes, if there are enough
constexpr std::int64_t kMostThreads = 1024;   // of a block
constexpr std::int64_t kLongSum = 8192;       // terms beyond which one thread's sum is carried as the lowering says
constexpr std::int64_t kBlock = 256;          // threads of a block that takes elements
constexpr std::int64_t kFlatTile = 1024;      // elements that a block takes
constexpr std::int64_t kManyRows = 1024;      // from which on tiles of rows are blocks
constexpr std::int64_t kManyColumns = 65536;  // from which on there are threads enough without
constexpr std::int64_t kRowTile = 128;        // rows of a tile
constexpr std::int64_t kRowBlock = 8;         // rows of these that a thread adds at a time
constexpr std::int64_t kWarp = 32;            // the fewest
constexpr std::int64_t kShortRow = 16;        // elements of rows that a thread takes alone
constexpr std::int64_t kSquareTile = 64;      // rows and columns of a tile of a transposition
constexpr std::int64_t kSumTile = 16384;      // terms of a sum without rows that one block takes

class GpuScheduler : private StepTaker {
 public:
  using StepTaker::StepTaker;

  ScheduleCounts run() {
    make_flat(kSumTile);
    for (const OpRef nest : loops_in(func_.region(0)))
      if (!is_scheduled(nest) && !tile_transposition(nest)) divide(nest);
    return counts_;
  }

 private:
  void divide(OpRef nest) {
    const std::vector<OpRef> chain = parallel_chain(nest);
    if (chain.empty()) {
      const bool apart =
          ForRef::from(nest).carried_count() == 0 &&
          take("parallelize", nest, NumericsClass::Exact, counts_.parallel, [&] { return parallelize(nest, facts_); });
      return apart ? divide(nest) : give_lanes(nest);
    }
    ++counts_.parallel;
    const OpRef row = chain.back();
    const AlongLoop along{ForRef::from(row)};
    if (!along.has_loops) {
      if (chain.size() == 1 || extent(row).value_or(kBlock) >= kBlock / 2) give_lanes_to_tiles(row);
    } else if (chain.size() == 1 && is_columns(along) && block_rows(row)) {
      return;
    } else if (!one_thread_each(row, along)) {
      for (const OpRef inner : loops_in(row.region(0))) give_lanes(inner);
    } else {
      narrow_contractions(row);
    }
  }

  // Elements that follow each other: a thread of a block takes several of them, far enough apart that the block's
  // accesses are to neighbours.
  void give_lanes_to_tiles(OpRef loop) {
    if (take("vectorize", loop, NumericsClass::Exact, counts_.vectorized,
             [&] { return vectorize(loop, kBlock, facts_); }) &&
        tile_by(loop, kFlatTile))
      set_kind(loop.parent_op(), "parallel");
  }

  // Neighbouring iterations read neighbouring elements in all loops inside.
  static bool is_columns(const AlongLoop& along) {
    return !along.allocates && !along.launches && along.loads.next > 0 && along.inner_loads.apart() == 0 &&
           along.stores.apart() == 0;
  }

  // Few columns of many rows: tiles of rows are blocks, and their results come together.
  bool block_rows(OpRef columns) {
    const std::vector<OpRef> inner = loops_in(columns.region(0));
    if (inner.size() != 1 || ForRef::from(inner[0]).carried_count() == 0 || is_sum_of_products(ForRef::from(inner[0])))
      return false;
    if (extent(inner[0]).value_or(kManyRows) < kManyRows || extent(columns).value_or(1) > kManyColumns) return false;
    const NumericsClass change = vectorizing_changes(inner[0]);
    if (!admits(numerics_, change, true)) return false;
    const std::vector<OpRef> before = loops_in(columns.parent());
    if (!take("block-columns", columns, change, counts_.tiled,
              [&] { return block_columns(columns, kRowTile, kRowBlock, facts_); }))
      return false;
    std::vector<OpRef> made;  // tiles of rows, then columns
    for (const OpRef op : loops_in(columns.parent()))
      if (op == columns || std::find(before.begin(), before.end(), op) == before.end()) made.push_back(op);
    for (const OpRef nest : made) divide_made(nest);
    return true;
  }
  void divide_made(OpRef nest) {
    const std::vector<OpRef> chain = parallel_chain(nest);
    if (chain.empty()) return give_lanes(nest);
    const AlongLoop along{ForRef::from(chain.back())};
    if (along.has_loops && !one_thread_each(chain.back(), along))
      for (const OpRef inner : loops_in(chain.back().region(0))) give_lanes(inner, 1);
  }

  // The loops inside are short, or neighbouring threads read neighbouring elements in all of them.
  static bool one_thread_each(OpRef row, const AlongLoop& along) {
    if (along.allocates || along.launches) return false;
    if (is_columns(along)) return true;
    return walk(row, [&](OpRef op) {
      const bool is_long = op != row && ForRef::from(op).valid() && extent(op).value_or(kShortRow + 1) > kShortRow;
      return is_long ? WalkResult::Stop : WalkResult::Continue;
    });
  }

  void narrow_contractions(OpRef row) {
    for (const OpRef inner : loops_in(row.region(0)))
      if (const ForRef of = ForRef::from(inner);
          of.carried_count() > 0 && is_sum_of_products(of) && extent(inner).value_or(kLongSum + 1) <= kLongSum)
        narrow_sums(inner);
  }

  // Some elements a thread, as long as the block does not grow too large.
  static std::int64_t lanes_for(std::int64_t count, std::int64_t elements) {
    const std::int64_t wanted = std::clamp(count / elements, kWarp, kMostThreads);
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wanted)));
  }

  // `elements` of a row for each thread.
  void give_lanes(OpRef loop, std::int64_t elements = kElements) {
    const AlongLoop along{ForRef::from(loop)};
    const NumericsClass change = vectorizing_changes(loop);
    const bool whole = !along.has_loops || (ForRef::from(loop).carried_count() == 0 && along.loads.next > 0 &&
                                            along.inner_loads.apart() == 0);
    if (whole && admits(numerics_, change, true)) {
      const std::int64_t lanes = lanes_for(usual_extent(ForRef::from(loop)).value_or(kUsualRow), elements);
      if (take("vectorize", loop, change, counts_.vectorized, [&] { return vectorize(loop, lanes, facts_); })) {
        if (change == NumericsClass::Reassociate) narrow_sums(loop);
        return;
      }
    }
    if (!along.has_loops) return leave_serial(loop, whole && admits(numerics_, change, true) ? refused_ : kOrder);
    for (const OpRef inner : loops_in(loop.region(0))) give_lanes(inner, elements);
  }
  static constexpr const char* kOrder = "lanes would change the order of a sum, which the numerics do not admit";

  // As on a CPU, but that both loops over tiles stay parallel. False: nothing is changed.
  bool tile_transposition(OpRef nest) {
    const std::optional<Transposition> found = transposition(nest, kSquareTile);
    if (!found) return false;
    const OpRef across = found->across, along = found->along;
    if (!tile_by(across, kSquareTile)) return false;
    set_kind(along, "serial");
    if (!tile_by(along, kSquareTile)) return true;
    if (!take("interchange", across, NumericsClass::Exact, counts_.tiled, [&] { return interchange(across, facts_); }))
      return true;
    const OpRef tiles = across, tile = tiles.region(0).front();
    for (const OpRef op : tile.region(0).front().region(0).ops())
      if (op.is("load") && runs_across(op, ForRef::from(tile)))
        (void)take("stage", op, NumericsClass::Exact, counts_.staged, [&] { return stage(op, tile); });
    (void)take("parallelize", tiles, NumericsClass::Exact, counts_.parallel,
               [&] { return parallelize(tiles, facts_); });
    for (const OpRef rows : loops_in(tiles.region(0)))
      for (const OpRef loop : loops_in(rows.region(0))) give_lanes(loop, 1);
    return true;
  }
  [[nodiscard]] static bool runs_across(OpRef load, ForRef loop) {
    return !subscripts_of(load).empty() && over_values(load, subscripts_of(load).back()) == of_value(loop.index());
  }
};

}  // namespace

ScheduleCounts schedule_for_gpu(OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate) {
  return GpuScheduler(func, numerics, facts, gate).run();
}

}  // namespace mlgc
