// See gpu_schedule.h.
#include "schedule/gpu_schedule.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "schedule/along_loop.h"
#include "schedule/loop_edit.h"
#include "schedule/step_taker.h"

namespace mlgc {

using namespace schedule;

namespace {

constexpr std::int64_t kUsualRow = 2048;      // elements of a row of unknown length
constexpr std::int64_t kElements = 8;         // of a row that a thread takes, if there are enough
constexpr std::int64_t kMostThreads = 1024;   // of a block
constexpr std::int64_t kGpuLongSum = 8192;    // terms beyond which one thread's sum is carried as the lowering says
constexpr std::int64_t kBlock = 256;          // threads of a block that takes elements
constexpr std::int64_t kGpuFlatTile = 1024;   // elements that a block takes
constexpr std::int64_t kGpuManyRows = 1024;   // from which on tiles of rows are blocks
constexpr std::int64_t kManyColumns = 65536;  // from which on there are threads enough without
constexpr std::int64_t kGpuRowTile = 128;     // rows of a tile
constexpr std::int64_t kGpuRowBlock = 8;      // rows of these that a thread adds at a time
constexpr std::int64_t kWarp = 32;            // the fewest
constexpr std::int64_t kShortRow = 16;        // elements of rows that a thread takes alone
constexpr std::int64_t kSquareTile = 64;      // rows and columns of a tile of a transposition
constexpr std::int64_t kGpuSumTile = 16384;   // terms of a sum without rows that one block takes
constexpr std::int64_t kProductLanes = 128;   // threads of a block that takes a tile of a product
constexpr std::int64_t kProductRows = 16;     // rows of it, of each of which a thread has some sums
constexpr std::int64_t kProductColumns = 4;   // such sums, of f32
constexpr std::int64_t kFewestElements = std::int64_t{1} << 17;  // of a product that gives work to a device so
constexpr std::int64_t kFewestRows = 64;  // rows that make a tile, and a copy of the columns, worth it

class GpuScheduler : private StepTaker {
 public:
  using StepTaker::StepTaker;

  ScheduleCounts run() {
    make_flat(kGpuSumTile);
    for (const OpRef nest : loops_in(func_.region(0)))
      if (!is_scheduled(nest)) schedule_nest(nest);
    fuse_products();
    return counts_;
  }

 private:
  void schedule_nest(OpRef nest) {
    if (!tile_transposition(nest) && !tile_product(nest)) divide(nest);
  }

  // A sum of products alone in the columns, and the loop around these whose iterations share what it reads along them.
  struct Product {
    OpRef rows, columns, sum;
    std::vector<OpRef> apart;  // loads along the columns of elements that do not follow each other
  };
  static std::optional<Product> product_of(const std::vector<OpRef>& chain) {
    if (chain.size() < 2) return std::nullopt;
    Product out{{}, chain.back(), {}, {}};
    const AlongLoop along{ForRef::from(out.columns)};
    const std::vector<OpRef> inner = loops_in(out.columns.region(0));
    if (along.allocates || along.launches || along.bounds_vary || inner.size() != 1 || along.stores.next == 0 ||
        along.stores.apart() > 0)
      return std::nullopt;
    out.sum = inner[0];
    const ForRef sum = ForRef::from(out.sum);
    if (sum.carried_count() != 1 || !is_sum_of_products(sum) || extent(out.columns).value_or(kWarp) < kShortRow)
      return std::nullopt;
    std::vector<OpRef> read;  // along the columns
    const auto across = varying_values(ForRef::from(out.columns));
    walk(out.sum, [&](OpRef op) {
      if (op.is(LoopOp::Load) && varies(across, op)) read.push_back(op);
    });
    for (std::size_t i = chain.size() - 1; i-- > 0 && !out.rows.valid();) {
      const auto down = varying_values(ForRef::from(chain[i]));
      const bool shared = std::none_of(read.begin(), read.end(), [&](OpRef load) { return varies(down, load); });
      if (shared && !read.empty()) out.rows = chain[i];
    }
    std::int64_t elements = 1;
    for (const OpRef loop : chain)
      elements *= extent(loop).value_or(loop == out.rows ? kGpuManyRows : loop == out.columns ? kProductLanes : 1);
    if (!out.rows.valid() || extent(out.rows).value_or(kGpuManyRows) < kProductRows || elements < kFewestElements)
      return std::nullopt;
    if (along.inner_loads.apart() == 0) return out;
    if (std::any_of(read.begin(), read.end(), [](OpRef load) { return load.parent_op().is(LoopOp::If); }))
      return std::nullopt;
    out.apart = std::move(read);
    return out;
  }
  static bool varies(const std::unordered_set<ValueId>& varying, OpRef op) {
    return std::any_of(op.operands().begin(), op.operands().end(), [&](Value v) { return varying.contains(v.id()); });
  }

  // Tiles of a product are blocks: a thread has some sums of each row of the tile in registers, so that what it reads
  // of a row or of a column serves several of them. Columns that do not follow each other are copied in front of the
  // nest, in the order in which threads read them. False: it got no tiles; a refused step may have left it in parts.
  bool tile_product(OpRef nest) {
    const std::vector<OpRef> chain = parallel_chain(nest);
    const std::optional<Product> found = product_of(chain);
    if (!found || (!found->apart.empty() && extent(found->rows).value_or(kFewestRows) < kFewestRows)) return false;
    const OpRef columns = found->columns;
    const auto width = extent(columns);
    const bool fits = admits(numerics_, NumericsClass::Reassociate, true) ||
                      ForRef::from(found->sum).carried(0).dtype() != Dtype::F64;  // sums of f64 take two registers
    const std::int64_t tall = fits ? kProductRows : kProductRows / 2;
    std::int64_t several = fits ? kProductColumns : kProductColumns / 2;
    while (several > 1 && (!width || *width % several != 0 || *width / several < kWarp)) several /= 2;
    const std::int64_t lanes = lanes_for(width ? std::min(*width / several, kProductLanes) : kProductLanes, 1);
    for (std::size_t at = std::find(chain.begin(), chain.end(), found->rows) - chain.begin(); at-- > 0;)
      if (!take("interchange", chain[at], NumericsClass::Exact, counts_.tiled,
                [&] { return interchange(chain[at], facts_); }))
        return false;
    // Of rows in unknown number only full parts of kGpuManyRows are tiled: fewer would leave the device idle.
    OpRef outer = nest, rest;
    if (!extent(nest)) {
      if (!take("tile", nest, NumericsClass::Exact, counts_.tiled,
                [&] { return tile(nest, kGpuManyRows, Tail::Loop, facts_); }))
        return false;
      outer = nest.parent_op();
      rest = outer.next();
    }
    if (!take("vectorize", columns, NumericsClass::Exact, counts_.vectorized,
              [&] { return vectorize(columns, lanes, facts_); }))
      return false;
    // The copy is shared by all of the grid, so it is made before there is one; its last axis is that of the lanes.
    const auto set_kinds = [&](LoopKind kind) {
      for (const OpRef loop : chain)
        if (loop != columns) ForRef::from(loop).set_kind(kind);
      ForRef::from(outer).set_kind(kind);
    };
    set_kinds(LoopKind::Serial);
    for (const OpRef load : found->apart)
      if (take("pack", load, NumericsClass::Exact, counts_.staged, [&] { return pack(load, outer); }))
        divide_copy(outer.previous());
    set_kinds(LoopKind::Parallel);
    narrow_sums(found->sum);
    OpRef threads = columns;
    if (several > 1) {  // neighbours are a thread's
      ForRef::from(columns).set_kind(LoopKind::Parallel);
      if (tile_by(columns, several)) {
        threads = columns.parent_op();
        ForRef::from(columns).set_kind(LoopKind::Serial);
        jam_all(columns);
      }
      (void)take("vectorize", threads, NumericsClass::Exact, counts_.vectorized,
                 [&] { return vectorize(threads, lanes, facts_); });
    }
    if (extent(threads).value_or(lanes + 1) > lanes && tile_by(threads, lanes))
      ForRef::from(threads.parent_op()).set_kind(LoopKind::Parallel);
    if (take("tile", nest, NumericsClass::Exact, counts_.tiled, [&] { return tile(nest, tall, Tail::Loop, facts_); })) {
      ForRef::from(nest.parent_op()).set_kind(LoopKind::Parallel);
      ForRef::from(nest).set_kind(LoopKind::Serial);
      jam_all(nest);
    }
    if (rest.valid()) divide(rest);
    return true;
  }
  void jam_all(OpRef loop) {
    (void)take("jam", loop, NumericsClass::Exact, counts_.jammed, [&] { return jam(loop, 0, facts_); });
  }
  // What a step put in front of a nest.
  void divide_copy(OpRef nest) {
    for (OpRef at = nest; ForRef::from(at).valid() && ForRef::from(at).kind() == LoopKind::Serial;
         at = at.region(0).front())
      if (!take("parallelize", at, NumericsClass::Exact, counts_.parallel, [&] { return parallelize(at, facts_); }))
        break;
    if (!tile_transposition(nest)) divide(nest);
  }

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
        tile_by(loop, kGpuFlatTile))
      ForRef::from(loop.parent_op()).set_kind(LoopKind::Parallel);
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
    if (extent(inner[0]).value_or(kGpuManyRows) < kGpuManyRows || extent(columns).value_or(1) > kManyColumns)
      return false;
    const NumericsClass change = vectorizing_changes(inner[0]);
    if (!admits(numerics_, change, true)) return false;
    const std::vector<OpRef> before = loops_in(columns.parent());
    if (!take("block-columns", columns, change, counts_.tiled,
              [&] { return block_columns(columns, kGpuRowTile, kGpuRowBlock, facts_); }))
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
          of.carried_count() > 0 && is_sum_of_products(of) && extent(inner).value_or(kGpuLongSum + 1) <= kGpuLongSum)
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
    ForRef::from(along).set_kind(LoopKind::Serial);
    if (!tile_by(along, kSquareTile)) return true;
    if (!take("interchange", across, NumericsClass::Exact, counts_.tiled, [&] { return interchange(across, facts_); }))
      return true;
    const OpRef tiles = across, tile = tiles.region(0).front();
    for (const OpRef op : tile.region(0).front().region(0).ops())
      if (op.is(LoopOp::Load) && runs_across(op, ForRef::from(tile)))
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

ScheduleCounts schedule_for_gpu(OpRef func, Numerics numerics, const Facts& facts, RewriteGate& gate,
                                TransformReview* review) {
  return GpuScheduler(func, numerics, facts, gate, review).run();
}

}  // namespace mlgc
