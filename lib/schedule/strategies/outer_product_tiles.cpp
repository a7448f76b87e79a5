// outer-product-tiles: for i { for j { sum } } becomes for j_o { for i_o { for j in lanes { a sum that carries those of
// the rows } } }. What the sum reads of the columns under guards, or in strides, is packed between the two outer loops.
// Where the results of neighbouring columns are strided, or the epilogue is long, the sums of some rows pass through
// scratch, which the epilogue reads row by row.
#include <algorithm>

#include "ir/walk.h"
#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/cpu_lanes.h"
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

class OuterProductTiles {
 public:
  static Match matches(const Scheduler& scheduler, const Site& site) {
    const OuterProductTiles tiles(scheduler, site.loop);
    if (!tiles.rows_.valid()) return Match::other_kind<reason::kNoSharedInnermost>();
    if (tiles.through_scratch_) return Match::yes();
    const AlongLoop along{ForRef::from(tiles.columns_)};
    const Match columns =
        match_columns(tiles.columns_, along, tiles.packed_.empty() ? ColumnNeeds::Plain : ColumnNeeds::Packed);
    return columns ? columns : Match::no(columns, "along " + loop_text(tiles.columns_));
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    const OuterProductTiles tiles(scheduler, site.loop);
    std::string text = iterations_text(tiles.rows_) + " share what " + iterations_text(tiles.columns_) +
                       " read: " + std::to_string(tiles.lanes_) + " lanes of " + std::to_string(tiles.bytes_) +
                       " bytes by " +
                       std::to_string(rows_in_registers(scheduler.limits().registers, tiles.lanes_, tiles.bytes_)) +
                       " rows fill the registers";
    if (!tiles.packed_.empty()) text += "; " + number_of(tiles.packed_.size(), "value") + " packed";
    if (tiles.through_scratch_)
      text += "; results are strided, so at most " + std::to_string(kMostScratchRows) +
              " rows of sums at a time pass through scratch";
    return text;
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    return OuterProductTiles(scheduler, site.loop).run(scheduler);
  }

 private:
  OuterProductTiles(const Scheduler& scheduler, OpRef sum) : sum_(sum) {
    const std::vector<OpRef> around = loops_around(sum);
    columns_ = around.front();
    const auto found =
        std::find_if(around.begin() + 1, around.end(), [&](OpRef loop) { return shares(loop, columns_, sum); });
    if (found == around.end()) return;
    rows_ = *found;
    bytes_ = sum_bytes(scheduler, sum);
    lanes_ = strip_lanes_of(scheduler.limits().registers, count_of(columns_), bytes_);
    fewest_ = goes_along(sum) ? dot_product_rows(sum) : kFewestOfBlock;
    const std::optional<std::int64_t> count = shared_rows();
    packed_ = values_to_pack(sum, columns_, rows_, count);
    if (goes_along(sum) && (count.value_or(0) < fewest_ || (pays_along(sum, columns_) && !fills_tiles(count))))
      packed_.clear();
    through_scratch_ = packed_.empty() && stores_apart();
  }

  // Rows that make packing worth it where lanes may iterate over the sum: combining lanes weighs more, the fewer
  // terms there are.
  [[nodiscard]] static std::int64_t dot_product_rows(OpRef sum) {
    return std::clamp(extent(sum).value_or(kDotProductLongTerms) / kTermsOfDotProductRow, kFewestDotProductRows,
                      kDotProductRows);
  }

  // Serial loops around the rows are tiles of them.
  [[nodiscard]] static OpRef tiles_of(OpRef rows) {
    const OpRef around = rows.parent_op();
    const ForRef of = ForRef::from(around);
    return of.valid() && of.kind() == LoopKind::Serial && of.carried_count() == 0 ? around : OpRef();
  }
  // How many rows share what the columns read, also those of other tiles, for all of which it is packed once; tiles of
  // an unknown number are many.
  [[nodiscard]] std::optional<std::int64_t> shared_rows() const {
    auto count = extent(rows_);
    if (!count) count = usual_extent(ForRef::from(rows_));
    for (OpRef at = tiles_of(rows_); count && at.valid() && shares(at, columns_, sum_); at = tiles_of(at))
      count = saturating_mul(*count, extent(at).value_or(kFewestOfFar));
    return count;
  }

  // Rows enough to share what is packed of any number of terms, and columns that leave few lanes empty.
  [[nodiscard]] bool fills_tiles(std::optional<std::int64_t> rows) const {
    const std::int64_t columns = usual_extent(ForRef::from(columns_)).value_or(kPanelColumns);
    const std::int64_t covered = ceil_div(columns, kPanelColumns) * kPanelColumns;
    return rows.value_or(0) >= kDotProductManyRows && 4 * covered <= 5 * columns;
  }

  // Lanes over the columns read contiguous elements, and would store to strided ones.
  [[nodiscard]] bool stores_apart() const {
    const AlongLoop along{ForRef::from(columns_)};
    return ForRef::from(columns_).carried_count() == 0 && !along.has_vectors && !along.allocates && !along.launches &&
           !along.bounds_vary && along.stores.next == 0 && along.stores.apart() > 0 && along.inner_loads.next > 0 &&
           along.inner_loads.apart() == 0 && is_nest(rows_, columns_) &&
           usual_extent(ForRef::from(columns_)).value_or(0) >= kFewProductColumns;
  }

  Result<OpRef, Diagnostic> run(Scheduler& scheduler) {
    pad_rows(scheduler);
    if (through_scratch_ && !pass_through_scratch(scheduler)) return Failure{scheduler.refused()};
    // Of a padded copy lanes read neighbours, from any element on; a packed one has each element as often as windows
    // do.
    pad_columns(scheduler, sum_, columns_);
    if (!packed_.empty()) packed_ = values_to_pack(sum_, columns_, rows_, shared_rows());
    const auto count = count_of(columns_);
    const bool nested = is_nest(rows_, columns_);
    // The same for all machines: blocks of the sum follow from what is packed.
    const std::int64_t few = kEnoughForThreads * strip_lanes_of(SumRegisters{}, count, bytes_);
    const bool shared_strips = nested && count.value_or(few) >= few;
    const bool threads = packed_.empty() || leaves_threads(rows_, columns_) || shared_strips ||
                         (nested && share_blocks(scheduler, rows_, fewest_));
    // What lanes would read one by one costs more than that fewer threads have work.
    if (!threads && is_column_loop(columns_)) {
      packed_.clear();
      pad_columns(scheduler, sum_, columns_);
    }
    const bool few_threads = !threads && !packed_.empty();
    if (ForRef::from(columns_).kind() == LoopKind::Vector) {  // of another sum of the same elements
      const OpRef around = sum_.parent_op();
      narrow_product_blocks(scheduler, sum_);
      scheduler.halve_jam(rows_);  // both are in registers
      return outermost_in(around, sum_);
    }
    if (!scheduler.vectorize_in(columns_, lanes_)) return Failure{scheduler.refused()};
    // Strips that run in parallel are independent.
    const bool own = ForRef::from(rows_).kind() != LoopKind::Parallel;
    if ((nested || packed_.empty()) && (!count || *count > lanes_) &&
        ((own && scheduler.tile_by(columns_, lanes_, Tail::Overlap)) || scheduler.tile_by(columns_, lanes_))) {
      const OpRef strips = columns_.parent_op();
      if (!own) (void)parallelize(strips, scheduler.facts());
    }
    const std::int64_t most = rows_in_registers(scheduler.limits().registers, lanes_, bytes_);
    const bool inside = strips_suffice(most);
    if (nested && (few_threads ? columns_.parent_op() != rows_ : inside)) rows_ = sink(scheduler, rows_, columns_);
    if (!packed_.empty()) pack_all(scheduler);
    if (nested) skip_strips(scheduler);
    separate_epilogue(scheduler, most, !inside && !leaves_threads(rows_, columns_));
    pack_factors(scheduler, most);
    const OpRef around = sum_.parent_op();
    narrow_product_blocks(scheduler, sum_);
    scheduler.jam_later(rows_, most);
    jam_around(scheduler, most / std::max<std::int64_t>(1, extent(rows_).value_or(most)));
    return outermost_in(around, sum_);
  }

  [[nodiscard]] static bool is_operand(OpRef op, Value v) {
    const auto operands = op.operands();
    return std::find(operands.begin(), operands.end(), v) != operands.end();
  }

  // Threads need no tiles of rows: what is around these, or the strips of columns where nothing is, keeps as many busy.
  [[nodiscard]] bool strips_suffice(std::int64_t in_registers) const {
    if (leaves_threads(rows_, columns_)) return true;
    const OpRef strips = columns_.parent_op();
    const auto count = extent(strips), rows = extent(rows_);
    return strips != rows_ && loops_around(rows_).empty() && is_nest(rows_, columns_) &&
           ForRef::from(strips).kind() == LoopKind::Parallel && is_operand(columns_, ForRef::from(strips).index()) &&
           count && rows && *count >= ceil_div(*rows, in_registers);
  }

  // An epilogue of more than a few operations becomes a nest of its own, which reads the sums from scratch: its text is
  // printed once, not for each row in registers.
  void separate_epilogue(Scheduler& scheduler, std::int64_t in_registers, bool shared) {
    const auto count = usual_extent(ForRef::from(rows_));
    if (through_scratch_ || AlongLoop{ForRef::from(columns_)}.work <= kMovingWork || !is_nest(rows_, columns_) ||
        count.value_or(kFewestEpilogueRows) < kFewestEpilogueRows ||
        usual_extent(ForRef::from(columns_)).value_or(0) > kMostEpilogueColumns)
      return;
    if (shared || count.value_or(kMostScratchRows + 1) > kMostScratchRows) {
      const auto size = epilogue_rows(count, shared, in_registers);
      if (!size || !scheduler.tile_by(rows_, *size)) return;
    }
    rows_ = sink(scheduler, rows_, columns_);
    if (only_loop_in(rows_) == columns_)
      (void)scheduler.take("distribute", rows_, NumericsClass::Exact, scheduler.counts().tiled,
                           [&] { return distribute(rows_); });
  }

  // The rows of a tile with an epilogue of its own: they divide the count and are several times as many as fit in
  // registers; threads share the tiles. Nothing where the remainder would process most rows one by one.
  [[nodiscard]] static std::optional<std::int64_t> epilogue_rows(std::optional<std::int64_t> count, bool shared,
                                                                 std::int64_t in_registers) {
    const std::int64_t usual = ceil_div(kScratchRows, in_registers) * in_registers;
    if (!count) return shared ? kSharedRowTiles * in_registers : usual;
    const std::int64_t most = std::min(kScratchRows, shared ? *count / kEnoughForThreads : *count);
    for (std::int64_t size = most; size >= in_registers; --size)
      if (*count % size == 0) return size;
    return *count > kMostScratchRows && !shared ? std::optional(usual) : std::nullopt;
  }

  // Few rows leave registers to iterations of another loop, which share what the rows read.
  void jam_around(Scheduler& scheduler, std::int64_t most) const {
    if (most < 2) return;
    for (const OpRef loop : loops_around(columns_)) {
      // The outermost one is what threads share.
      if (!is_nest(loop, columns_) || loops_around(loop).empty()) return;
      const bool strips = varies(varying_values(ForRef::from(loop)), columns_);
      if (loop != rows_ && !strips && shares(loop, rows_, sum_)) return scheduler.jam_later(loop, most);
    }
  }

  // Of a tile whose last one is smaller: of the full one.
  [[nodiscard]] static std::optional<std::int64_t> count_of(OpRef columns) {
    const auto count = extent(columns);
    return count ? count : usual_extent(ForRef::from(columns));
  }

  // What rows read under guards, and columns share, has what lies outside of the buffer copied around it; what they
  // read in 16 bits is cast once, unless it is multiplied as it is.
  void pad_rows(Scheduler& scheduler) {
    const auto across = varying_values(ForRef::from(columns_));
    for (const OpRef load : loads_in(sum_))
      if ((load.parent_op().is(LoopOp::If) || dtype_info(load.result().dtype()).bytes < 4) && !varies(across, load) &&
          !(scheduler.limits().pairs_bf16 && goes_in_pairs(load)))
        (void)scheduler.take("pad-load", load, NumericsClass::Exact, scheduler.counts().staged,
                             [&] { return pad_load(load, loops_around(sum_).back(), scheduler.facts()); });
  }

  // All factors of the sum are bf16, and the load reads enough terms of it that lie one after the other: those of the
  // innermost loop, and of all loops that packing makes one.
  [[nodiscard]] bool goes_in_pairs(OpRef load) const {
    const auto across = varying_values(ForRef::from(columns_)), along_rows = varying_values(ForRef::from(rows_));
    bool all = true;
    walk(sum_, [&](OpRef op) {
      if (!varies(across, op) || !varies(along_rows, op)) return;
      for (const Value factor : op.operands())
        if (across.contains(factor.id()) != along_rows.contains(factor.id()))
          all = all && before_widening(factor).dtype() == Dtype::BF16;
    });
    if (!all) return false;
    const std::vector<OpRef> loops = loops_of(sum_);
    if (load.parent_op().is(LoopOp::If) || (loops.size() > 1 && packed_.empty())) return false;
    std::int64_t terms = 1;
    for (std::size_t n = 0; n < loops.size(); ++n)
      for (const OpRef loop : loops)
        if (stride_bytes(load, ForRef::from(loop)) == saturating_mul(terms, kBf16Bytes)) {
          terms = saturating_mul(terms, extent(loop).value_or(kFewestPairTerms));
          break;
        }
    return terms >= kFewestPairTerms;
  }

  bool pass_through_scratch(Scheduler& scheduler) {
    if (!divide_rows(scheduler)) return false;
    if (!scheduler.take("distribute", rows_, NumericsClass::Exact, scheduler.counts().tiled,
                        [&] { return distribute(rows_); }))
      return false;
    const OpRef across = rows_.next();
    if (!scheduler.interchange_with_inner(across)) return true;
    transpose_sums(scheduler, across, only_loop_in(across));
    return true;
  }

  // Sums that the epilogue reads across their rows are transposed in registers. An epilogue of more than a few
  // operations has its own loops after the transposes, so that its text is not in each row of an unrolled register
  // tile.
  static void transpose_sums(Scheduler& scheduler, OpRef across, OpRef along) {
    if (!is_transposition(across, along, kSmallSquare)) return;
    if (AlongLoop{ForRef::from(along)}.work <= kMovingWork) {
      (void)scheduler.transpose({across, along}, scheduler.square_of({across, along}), 1);
      return;
    }
    const ForRef loop = ForRef::from(along);
    const auto varying = varying_values(loop);
    std::vector<OpRef> reads;
    for (const OpRef op : loop.body().ops())
      if (op.is(LoopOp::Load) && schedule::along(op, loop, varying) == Along::Strided) reads.push_back(op);
    for (const OpRef load : reads)
      if (scheduler.pack_before(load, across)) give_packing_lanes(scheduler, across.previous());
  }

  // No more rows than scratch holds: as many at a time as divide them, or else so many and the rest after them.
  bool divide_rows(Scheduler& scheduler) {
    const auto count = extent(rows_);
    if (are_few_ || count.value_or(kMostScratchRows + 1) <= kMostScratchRows) return true;
    std::int64_t size = kScratchRows;
    for (std::int64_t tile = kScratchRows; count && tile <= kMostScratchRows; ++tile)
      if (*count % tile == 0) size = tile;
    if (!scheduler.tile_by(rows_, size, Tail::Loop)) return false;
    const OpRef tiles = rows_.parent_op(), rest = tiles.next();
    if (ForRef::from(rest).valid())
      for (const OpRef sum : sums_in(rest)) {
        OuterProductTiles behind(scheduler, sum);
        if (!behind.through_scratch_) continue;
        behind.are_few_ = true;
        if (const auto done = behind.run(scheduler)) scheduler.note_strategy(*done, kOuterProductTilesStrategy.name);
      }
    return true;
  }

  // The last strips of columns need no sums where guards decide so for all rows, as those of a causal mask do: they
  // have a loop of their own.
  void skip_strips(Scheduler& scheduler) {
    const OpRef strips = rows_.parent_op(), before = strips.previous();
    const ForRef of = ForRef::from(strips);
    if (!of.valid() || of.kind() != LoopKind::Serial || !is_nest(strips, columns_) || !is_operand(columns_, of.index()))
      return;
    const bool guarded = !walk(columns_, [&](OpRef op) {
      return op.is(LoopOp::Guard) && op.parent_op() == columns_ ? WalkResult::Stop : WalkResult::Continue;
    });
    const RegionRef region = strips.parent();
    if (!guarded || !scheduler.take("split-range", strips, NumericsClass::Exact, scheduler.counts().split, [&] {
          return split_range(strips, {.pieces = 2, .drops_loops = true}, scheduler.facts());
        }))
      return;
    const OpRef first = next_loop(region, before);
    rows_ = only_loop_in(first);
    columns_ = only_loop_in(rows_);
    sum_ = sums_in(columns_).front();
  }

  // In front of the rows, or of all tiles of them that read the same, with the strips of columns in between.
  [[nodiscard]] OpRef place_of(OpRef load) const {
    OpRef place = rows_;
    for (OpRef at = tiles_of(rows_); at.valid(); at = tiles_of(at)) {
      const bool is_strip = is_operand(columns_, ForRef::from(at).index());
      if (!is_strip && varies(varying_values(ForRef::from(at)), load)) break;
      if (!is_strip) place = at;
    }
    return place;
  }

  // What rows multiply the columns by, where it is computed, is computed once for all strips of columns, in lanes along
  // the sum; in the nest one lane would do so for each strip. Likewise what lies where the rows of a tile meet in a set
  // of the first cache, so that each would drive out what another one reads next.
  void pack_factors(Scheduler& scheduler, std::int64_t in_registers) const {
    const OpRef strips = rows_.parent_op();
    if (!ForRef::from(strips).valid() || !is_operand(columns_, ForRef::from(strips).index()) ||
        usual_extent(ForRef::from(strips)) == 1)  // a single strip shares it with no other
      return;
    const bool in_loops = !loops_around(strips).empty();
    const auto across = varying_values(ForRef::from(columns_)), along_rows = varying_values(ForRef::from(rows_));
    std::vector<OpRef> factors;
    walk(sum_, [&](OpRef op) {
      if (!varies(across, op)) return;
      for (Value factor : op.operands()) {
        while (factor.is_result() && factor.definer().is(GraphOp::Cast)) factor = factor.definer().operand(0);
        const OpRef from = factor.is_result() ? factor.definer() : OpRef();
        if (!from.valid() || !from.is_inside(sum_) || !varies(along_rows, from) || varies(across, from) ||
            std::find(factors.begin(), factors.end(), from) != factors.end())
          continue;
        const bool is_read = from.is(LoopOp::Load);
        if (is_read ? rows_meet(scheduler.limits(), from, in_registers) : in_loops && from.pure() && work_of(from) > 0)
          factors.push_back(from);
      }
    });
    // The loop around is what threads share; without one, both nests are.
    if (!factors.empty() && in_loops) ForRef::from(strips).set_kind(LoopKind::Serial);
    for (const OpRef factor : factors) {
      if (!scheduler.pack_before(factor, strips)) continue;
      const OpRef copy = strips.previous();
      give_packing_lanes(scheduler, copy);
      if (!in_loops) (void)parallelize(copy, scheduler.facts());
    }
  }

  // The strides of what the rows of a tile read make it conflict in one set of the first cache.
  [[nodiscard]] bool rows_meet(const CpuLimits& limits, OpRef load, std::int64_t in_registers) const {
    const auto stride = stride_bytes(load, ForRef::from(rows_));
    const std::int64_t rows = std::min(in_registers, usual_extent(ForRef::from(rows_)).value_or(in_registers));
    const std::int64_t strips = usual_extent(ForRef::from(rows_.parent_op())).value_or(kColumnsWorthSpreading);
    return stride.value_or(0) > 0 && *stride % limits.meeting_bytes == 0 && rows > limits.meeting_rows &&
           strips * lanes_ >= kColumnsWorthSpreading;
  }

  void pack_all(Scheduler& scheduler) {
    // What stands in front of the whole nest is read by any thread.
    const bool shared = ForRef::from(rows_).kind() == LoopKind::Parallel && loops_around(rows_).empty();
    ForRef::from(rows_).set_kind(LoopKind::Serial);
    for (const OpRef load : packed_) {
      const OpRef place = place_of(load);
      if (scheduler.pack_before(load, place)) give_packing_lanes(scheduler, place.previous());
    }
    if (shared) ForRef::from(rows_).set_kind(LoopKind::Parallel);
    scheduler.collapse_all(sum_);
  }

  OpRef sum_, columns_, rows_;  // no rows: it is none
  std::vector<OpRef> packed_;
  bool through_scratch_ = false;
  bool are_few_ = false;  // rows: what is left of them
  std::int64_t bytes_ = 0, lanes_ = 0;
  std::int64_t fewest_ = 0;  // rows that make packing for them alone worth it
};

}  // namespace

const StrategyDef kOuterProductTilesStrategy{
    .name = "outer-product-tiles",
    .summary =
        "Lanes over contiguous columns; a tile of rows has its sums in registers, which share each "
        "factor.",
    .stage = Stage::Products,
    .numerics = NumericsClass::Reassociate,
    .matches = OuterProductTiles::matches,
    .why = OuterProductTiles::why,
    .apply = OuterProductTiles::apply,
};

}  // namespace mlgc::schedule
