// See default_schedule.h.
#include "schedule/default_schedule.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "ops/combine.h"
#include "schedule/along_loop.h"
#include "schedule/contraction_schedule.h"
#include "schedule/loop_edit.h"
#include "schedule/steps.h"

namespace mlgc {

using namespace schedule;

namespace {

// Lanes are those of 64 bytes of f32, times as many as hide the latency of what an iteration computes.
constexpr std::int64_t kPlainLanes = 64;     // a few additions and products
constexpr std::int64_t kBusyLanes = 32;      // exp and the like, which have many operations side by side themselves
constexpr std::int64_t kBusyWork = 24;       // scalar operations of one iteration from which on it is busy
constexpr std::int64_t kFewestLanes = 4;     // shorter loops stay scalar
constexpr std::int64_t kShortSum = 64;       // terms of a sum that is carried as the lowering says
constexpr std::int64_t kLongSum = 8192;      // beyond, a sum by lanes is a sum of sums
constexpr std::int64_t kSumBlock = 1024;     // terms of these
constexpr std::int64_t kOwnSumBlock = 16;    // terms likewise of a sum that each lane has by itself
constexpr std::int64_t kSumTile = 16384;     // terms of a sum without rows that one thread takes at a time
constexpr std::int64_t kFewestTerms = 16;    // of a product that shares nothing, summed up by lanes for each result
constexpr std::int64_t kFlatTile = 4096;     // elements that one thread takes at a time
constexpr std::int64_t kSquares = 16;        // of these side by side
constexpr std::int64_t kColumnTile = 64;     // columns that one thread takes at a time, each with loops of its own
constexpr std::int64_t kRowTile = 128;       // rows that are reduced on one thread
constexpr std::int64_t kRowBlock = 8;        // rows of these that are reduced while their columns are gone along
constexpr std::int64_t kRowBlockOfFew = 16;  // likewise of few columns, whose rows lie near each other
constexpr std::int64_t kFewColumns = 256;
constexpr std::int64_t kManyRows = 512;     // rows from which on tiles of rows are shared among threads
constexpr std::int64_t kFewIterations = 8;  // too few to be shared among threads while a loop inside has more

class Scheduler : private ContractionScheduler {
 public:
  using ContractionScheduler::ContractionScheduler;

  ScheduleCounts run() {
    make_flat(kSumTile);
    split_divided_loops();
    split_contractions();
    for (const OpRef nest : loops_in(func_.region(0))) {
      if (is_scheduled(nest)) continue;
      // A step may split the nest, and erase what stands around it, but for other loops.
      const RegionRef region = nest.parent();
      OpRef before = nest.previous(), behind = nest.next();
      while (before.valid() && !ForRef::from(before).valid()) before = before.previous();
      while (behind.valid() && !ForRef::from(behind).valid()) behind = behind.next();
      if (tile_transposition(nest)) {
        std::vector<OpRef> made;
        for (OpRef op = before.valid() ? before.next() : region.front(); op.valid() && op != behind; op = op.next())
          if (ForRef::from(op).valid()) made.push_back(op);
        for (const OpRef op : made) give_lanes(op);
      } else {
        const Tiles tiles = plan_contractions(nest);
        give_lanes(nest);
        jam_contractions(tiles);
      }
      for (OpRef op = before.valid() ? before.next() : region.front(); op.valid() && op != behind; op = op.next())
        if (ForRef::from(op).valid()) share_among_threads(op);
    }
    fuse_products();
    return counts_;
  }

 private:
  // --- transpositions

  // Squares of registers, so that every line is used while it is near.
  bool tile_transposition(OpRef nest) {
    const std::optional<Transposition> found = transposition(nest, kSquare);
    return found && transpose(*found, kSquares);
  }

  // --- lanes

  void give_lanes(OpRef loop) {
    const AlongLoop along{ForRef::from(loop)};
    if (ForRef::from(loop).kind() == LoopKind::Vector || is_packing(loop)) return;
    if (!along.has_loops) return lanes_of_innermost(loop, along);
    if (is_column_loop(loop)) {
      const bool matrix = narrow_contractions(loop);
      if (!matrix && block_rows(loop)) return;
      if (!matrix) narrow_rows(loop);
      if (vectorize_by(loop, kColumnTile, matrix ? kBusyLanes : kPlainLanes)) return;
    }
    for (const OpRef inner : loops_in(loop.region(0))) give_lanes(inner);
  }

  // Sums of rows read blocks of rows along their columns. Without a loop around them that threads share, their tiles
  // are shared; of few rows columns are.
  bool block_rows(OpRef loop) {
    const std::vector<OpRef> inner = loops_in(loop.region(0));
    if (inner.size() != 1 || ForRef::from(inner[0]).carried_count() == 0) return false;
    const bool shared = is_parallel_inside(loop);
    const std::int64_t least = shared ? 2 * kRowBlock : kManyRows;
    if (extent(inner[0]).value_or(least) < least) return false;
    const NumericsClass change = vectorizing_changes(inner[0]);
    if (!admits(numerics_, change, true)) return false;
    const std::int64_t block = extent(loop).value_or(kFewColumns) < kFewColumns ? kRowBlockOfFew : kRowBlock;
    if (!take("block-columns", loop, change, counts_.tiled,
              [&] { return block_columns(loop, kRowTile, block, facts_); }))
      return false;
    // The tiles stand in front of what the loop has become: one loop along columns, and one over blocks that holds one.
    OpRef tiles;
    for (const OpRef op : loop.parent().ops()) {
      if (op == loop) break;
      tiles = op;
    }
    for (const OpRef made : loops_in(tiles.region(0))) {
      const std::vector<OpRef> along = loops_in(made.region(0));
      vectorize_columns(along.empty() ? made : along[0]);
    }
    vectorize_columns(loop);
    return true;
  }
  void vectorize_columns(OpRef loop) {
    if (!vectorize_by(loop, kColumnTile, kPlainLanes)) leave_serial(loop, refused_);
  }
  void narrow_rows(OpRef loop) {
    for (const OpRef inner : loops_in(loop.region(0)))
      if (!AlongLoop{ForRef::from(inner)}.has_loops) narrow_long(inner, kOwnSumBlock);
  }
  // Sums of many terms, or of nobody knows how many: PyTorch's are sums of sums too, and lose less than one
  // accumulator.
  void narrow_long(OpRef loop, std::int64_t size) {
    if (extent(loop).value_or(kShortSum + 1) <= kShortSum) return;
    if (!admits(numerics_, NumericsClass::Reassociate, true)) return;
    (void)take("narrow", loop, NumericsClass::Reassociate, counts_.narrowed,
               [&] { return narrow_blocks(loop, size, facts_); });
  }

  void lanes_of_innermost(OpRef loop, const AlongLoop& along) {
    const auto count = extent(loop);
    if (count && *count < kFewestLanes) return leave_serial(loop, "it is too short");
    const ForRef of = ForRef::from(loop);
    if (count && *count < kFewestTerms && of.carried_count() == 1 && is_parallel_inside(loop) && is_sum_of_products(of))
      return leave_serial(loop, "its few terms would have to come together for each sum");
    if (along.loads.next + along.stores.next == 0 && along.loads.apart() + along.stores.apart() > 0)
      return leave_serial(loop, "no access is to elements that follow each other");
    const bool reassociates = vectorizing_changes(loop) == NumericsClass::Reassociate;
    if (reassociates && !admits(numerics_, NumericsClass::Reassociate, true))
      return leave_serial(loop, "lanes would change the order of a sum, which the numerics do not admit");
    const bool is_long = usual_extent(ForRef::from(loop)).value_or(kLongSum + 1) > kLongSum;
    if (reassociates && (is_long || !starts_as_number(loop)) && !is_tile(loop)) narrow_long(loop, kSumBlock);
    const std::int64_t lanes = along.work >= kBusyWork ? kBusyLanes : kPlainLanes;
    if (!vectorize_by(loop, kFlatTile, lanes)) return leave_serial(loop, refused_);
    if (reassociates && !is_long) narrow_unless_short(loop);
  }

  // What split_reduction() left: sums of everything stay in f64, since they wait for memory and not for additions.
  [[nodiscard]] static bool is_tile(OpRef loop) {
    const ForRef around = ForRef::from(loop.parent_op());
    if (!around.valid() || around.kind() != LoopKind::Parallel) return false;
    const auto operands = loop.operands();
    return std::find(operands.begin(), operands.end(), around.index()) != operands.end();
  }
  [[nodiscard]] static bool starts_as_number(OpRef loop) {
    for (const Value v : initial_values(ForRef::from(loop)))
      if (!v.definer().valid() || !v.definer().is(LoopOp::Literal)) return false;
    return true;
  }

  // Gives lanes to a loop that shows to be fit for them. One that would be shared among threads, and stands in no other
  // that is, is tiled first. False: refused, and nothing is changed.
  bool vectorize_by(OpRef loop, std::int64_t tile_size, std::int64_t most_lanes) {
    const auto count = extent(loop), usual = usual_extent(ForRef::from(loop));
    std::int64_t lanes = most_lanes;
    if (usual) lanes = std::min(lanes, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(*usual))));
    const bool own_threads = ForRef::from(loop).kind() == LoopKind::Parallel && !is_parallel_inside(loop);
    if (!take("vectorize", loop, vectorizing_changes(loop), counts_.vectorized,
              [&] { return vectorize(loop, lanes, facts_); }))
      return false;
    if (own_threads && count.value_or(tile_size + 1) > tile_size && tile_by(loop, tile_size))
      ForRef::from(loop.parent_op()).set_kind(LoopKind::Parallel);
    return true;
  }

  // The sums of products that the loops inside carry; true when there is one.
  bool narrow_contractions(OpRef loop) {
    bool found = false;
    for (const OpRef inner : loops_in(loop.region(0))) {
      const ForRef of = ForRef::from(inner);
      if (of.carried_count() == 0 || !is_sum_of_products(of)) continue;
      found = true;
      narrow_unless_short(inner);
    }
    return found;
  }
  // Short sums stay in f64: that costs little, and leaves the rounding to what comes before and behind.
  void narrow_unless_short(OpRef loop) {
    if (extent(loop).value_or(kShortSum + 1) > kShortSum) narrow_sums(loop);
  }

  // --- threads

  // What adds up at places that data say may keep to itself in a loop around all the same.
  std::vector<OpRef> shown_parallel(OpRef nest) {
    const ForRef of = ForRef::from(nest);
    if (of.kind() != LoopKind::Serial || of.carried_count() > 0) return {};
    std::uint64_t shown = 0;  // it is counted where it is shared
    (void)take("parallelize", nest, NumericsClass::Exact, shown, [&] { return parallelize(nest, facts_); });
    return shown > 0 ? std::vector{nest} : std::vector<OpRef>();
  }

  // Of parallel loops inside of each other one is shared among threads, the first that has more than a few iterations.
  void share_among_threads(OpRef nest) {
    std::vector<OpRef> chain = parallel_chain(nest);
    if (chain.empty()) chain = shown_parallel(nest);
    if (chain.empty()) return;
    const auto many = [&](OpRef loop) { return extent(loop).value_or(kFewIterations) >= kFewIterations; };
    auto chosen = std::find_if(chain.begin(), chain.end(), many);
    if (chosen == chain.end())
      chosen = std::max_element(chain.begin(), chain.end(), [&](OpRef a, OpRef b) { return *extent(a) < *extent(b); });
    ++counts_.parallel;
    const OpRef shared = *chosen;
    walk(nest, [&](OpRef op) {
      const ForRef loop = ForRef::from(op);
      if (!loop.valid() || loop.kind() != LoopKind::Parallel || op == shared || !gate_.open()) return;
      gate_.record("serialize", op.location());
      ForRef::from(op).set_kind(LoopKind::Serial);
    });
  }
};

}  // namespace

ScheduleCounts schedule_by_default(OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate,
                                   TransformReview* review) {
  return Scheduler(func, numerics, facts, gate, review).run();
}

}  // namespace mlgc
