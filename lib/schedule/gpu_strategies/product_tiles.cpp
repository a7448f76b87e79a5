// product-tiles: tiles of a product are blocks; a thread has some sums of each row of the tile in registers, so that
// what it reads of a row or of a column serves several of them. Columns that are not contiguous are copied in
// front of the nest, in the order in which threads read them.
#include <algorithm>
#include <unordered_set>

#include "ir/walk.h"
#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/gpu_sites.h"
#include "schedule/gpu_strategies/gpu_strategies.h"
#include "schedule/reduction_order.h"
#include "schedule/strategy_text.h"

namespace mlgc::schedule {

namespace {

class ProductTiles {
 public:
  static Match matches(const Scheduler& scheduler, const Site& site) {
    ProductTiles tiles(site.loop);
    (void)scheduler;
    return tiles.find();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    ProductTiles tiles(site.loop);
    (void)tiles.find();
    tiles.choose_sizes(scheduler);
    std::string text = iterations_text(tiles.rows_) + " share what " + iterations_text(tiles.columns_) +
                       " read: " + std::to_string(tiles.tall_) + " rows by " + std::to_string(tiles.several_) +
                       " columns a thread, " + std::to_string(tiles.threads_) + " threads a block";
    if (!tiles.apart_.empty()) text += "; " + number_of(tiles.apart_.size(), "load") + " copied first";
    return text;
  }
  // A refused step may leave it in parts.
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    ProductTiles tiles(site.loop);
    (void)tiles.find();
    tiles.choose_sizes(scheduler);
    return tiles.run(scheduler);
  }

 private:
  explicit ProductTiles(OpRef nest) : nest_(nest), chain_(parallel_chain(nest)) {}

  // A contraction alone in the columns, and the loop around these whose iterations share what it reads along them.
  Match find() {
    if (chain_.size() < 2) return Match::other_kind<reason::kNotTwoParallelLoops>();
    columns_ = chain_.back();
    const AlongLoop along{ForRef::from(columns_)};
    const std::vector<OpRef> inner = loops_in(columns_.region(0));
    if (inner.size() != 1) return Match::other_kind<reason::kNotOneInnerLoop>();
    sum_ = inner[0];
    const ForRef sum = ForRef::from(sum_);
    if (sum.carried_count() != 1 || !is_sum_of_products(sum))
      return Match::other_kind<reason::kInnerLoopNoContraction>();
    if (along.allocates || along.launches) return Match::no<reason::kThreadMemoryOrLaunches>();
    if (along.bounds_vary) return Match::no<reason::kSumBoundsVary>();
    if (along.stores.next == 0 || along.stores.apart() > 0) return Match::no<reason::kColumnsNotContiguous>();
    if (extent(columns_).value_or(kFewestProductColumns) < kFewestProductColumns)
      return Match::no<reason::kFewColumns>(count_text(columns_), kFewestProductColumns);
    std::vector<OpRef> read;  // along the columns
    const auto across = varying_values(ForRef::from(columns_));
    walk(sum_, [&](OpRef op) {
      if (op.is(LoopOp::Load) && varies(across, op)) read.push_back(op);
    });
    for (std::size_t i = chain_.size() - 1; i-- > 0 && !rows_.valid();) {
      const auto down = varying_values(ForRef::from(chain_[i]));
      const bool shared = std::none_of(read.begin(), read.end(), [&](OpRef load) { return varies(down, load); });
      if (shared && !read.empty()) rows_ = chain_[i];
    }
    if (!rows_.valid()) return Match::no<reason::kNoSharedColumns>();
    std::int64_t elements = 1;
    for (const OpRef loop : chain_)
      elements *= extent(loop).value_or(loop == rows_      ? kUsualProductRows
                                        : loop == columns_ ? kUsualProductColumns
                                                           : 1);
    if (extent(rows_).value_or(kFewestProductRows) < kFewestProductRows)
      return Match::no<reason::kFewRows>(count_text(rows_), kFewestProductRows);
    if (elements < kFewestProductElements) return Match::no<reason::kFewElements>(elements, kFewestProductElements);
    if (along.inner_loads.apart() == 0) return Match::yes();
    if (std::any_of(read.begin(), read.end(), [](OpRef load) { return load.parent_op().is(LoopOp::If); }))
      return Match::no<reason::kColumnsInBranches>();
    apart_ = std::move(read);
    if (extent(rows_).value_or(kFewestCopiedRows) < kFewestCopiedRows)
      return Match::no<reason::kFewRowsForCopy>(count_text(rows_), kFewestCopiedRows);
    return Match::yes();
  }

  void choose_sizes(const Scheduler& scheduler) {
    const auto width = extent(columns_);
    const bool fits = scheduler.may_reassociate() ||
                      ForRef::from(sum_).carried(0).dtype() != Dtype::F64;  // sums of f64 take two registers
    tall_ = fits ? kProductRows : kProductRows / 2;
    several_ = fits ? kProductColumns : kProductColumns / 2;
    while (several_ > 1 && (!width || *width % several_ != 0 || *width / several_ < kWarp)) several_ /= 2;
    threads_ = threads_for(width ? std::min(*width / several_, kProductLanes) : kProductLanes, 1);
  }

  Result<OpRef, Diagnostic> run(Scheduler& scheduler) {
    for (std::size_t at = std::find(chain_.begin(), chain_.end(), rows_) - chain_.begin(); at-- > 0;)
      if (!scheduler.interchange_with_inner(chain_[at])) return Failure{scheduler.refused()};
    // Of rows in unknown number only full parts are tiled: fewer would leave the device idle.
    OpRef outer = nest_, rest;
    if (!extent(nest_)) {
      if (!scheduler.tile_by(nest_, kProductTileRows, Tail::Loop)) return Failure{scheduler.refused()};
      outer = nest_.parent_op();
      rest = outer.next();
    }
    if (!scheduler.vectorize_in(columns_, threads_)) return Failure{scheduler.refused()};
    // The copy is shared by all of the grid, so it is made before there is one; its last axis is that of the lanes.
    const auto set_kinds = [&](LoopKind kind) {
      for (const OpRef loop : chain_)
        if (loop != columns_) ForRef::from(loop).set_kind(kind);
      ForRef::from(outer).set_kind(kind);
    };
    set_kinds(LoopKind::Serial);
    for (const OpRef load : apart_)
      if (scheduler.pack_before(load, outer)) divide_copy(scheduler, outer.previous());
    set_kinds(LoopKind::Parallel);
    scheduler.narrow_sums(sum_);
    OpRef threads = columns_;
    if (several_ > 1) {  // neighbours are a thread's
      ForRef::from(columns_).set_kind(LoopKind::Parallel);
      if (scheduler.tile_by(columns_, several_)) {
        threads = columns_.parent_op();
        ForRef::from(columns_).set_kind(LoopKind::Serial);
        (void)scheduler.jam_all(columns_);
      }
      (void)scheduler.vectorize_in(threads, threads_);
    }
    if (extent(threads).value_or(threads_ + 1) > threads_ && scheduler.tile_by(threads, threads_))
      ForRef::from(threads.parent_op()).set_kind(LoopKind::Parallel);
    OpRef tiles = outer;
    if (scheduler.tile_by(nest_, tall_, Tail::Loop)) {
      if (outer == nest_) tiles = nest_.parent_op();
      ForRef::from(nest_.parent_op()).set_kind(LoopKind::Parallel);
      ForRef::from(nest_).set_kind(LoopKind::Serial);
      (void)scheduler.jam_all(nest_);
    }
    if (rest.valid()) divide(scheduler, rest);
    return tiles;
  }
  // What a step put in front of a nest.
  static void divide_copy(Scheduler& scheduler, OpRef nest) {
    for (OpRef at = nest; ForRef::from(at).valid() && ForRef::from(at).kind() == LoopKind::Serial;
         at = at.region(0).front())
      if (!scheduler.share(at)) break;
    schedule_gpu_nest(scheduler, nest);
  }

  OpRef nest_;
  std::vector<OpRef> chain_;
  OpRef rows_, columns_, sum_;
  std::vector<OpRef> apart_;                           // loads along the columns that are not contiguous
  std::int64_t tall_ = 0, several_ = 0, threads_ = 0;  // rows and columns of a thread, threads of a block
};

}  // namespace

const StrategyDef kProductTilesStrategy{
    .name = "product-tiles",
    .summary = "A block a tile of a product; a thread has several rows by several columns of it in registers.",
    .stage = Stage::Nest,
    .numerics = NumericsClass::Reassociate,
    .matches = ProductTiles::matches,
    .why = ProductTiles::why,
    .apply = ProductTiles::apply,
};

}  // namespace mlgc::schedule
