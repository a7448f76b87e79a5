// window-lanes: for columns { a reduction over a window of what is near each column } has the lanes along the columns.
// The window is written out; what it reads again, under guards or in strides, is packed for some rows at a time, with
// the padding, so that windows overlap in memory that is near.
#include <algorithm>
#include <bit>

#include "ir/walk.h"
#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/cpu_lanes.h"
#include "schedule/loop_edit.h"
#include "schedule/packed_value.h"
#include "schedule/reduction_order.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"
#include "schedule/wide_sum.h"
#include "schedule/window_axis.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

// Policies, the same for all CPUs.

// Elements that shuffles of vectors and masks keep lanes of, wherever windows may lie.
constexpr std::int64_t kShuffledBytes = 4;
constexpr std::int64_t kNearestFar = 2;  // elements apart: one shuffle is as fast as a copy that three windows read
// Guarded ones of another size, with such a stride, are tested and loaded lane by lane.
constexpr std::int64_t kGuardedApart = 3;
// Of rows that have nothing in common: shorter ones are read in place, since each would be packed by itself, with its
// borders. Masks cost what has few operations more.
constexpr std::int64_t kFewestPackedColumns = 16, kFewestPackedColumnsOfProducts = 32;

constexpr std::int64_t kFewestMaskedBytes = 32;  // of vectors: x86-64 has masked loads of these

constexpr std::int64_t kCopyLanes = 8;  // of what is packed: wider ones would more often have padding in them

class WindowLanes {
 public:
  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    WindowLanes form;
    return form.find(site.loop);
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    WindowLanes form;
    (void)form.find(site.loop);
    return iterations_text(form.columns_) + " have windows of " + std::to_string(form.terms_) + " elements each, " +
           std::to_string(form.apart_) + " apart: " + std::to_string(window_lanes_of(form.columns_)) + " lanes";
  }
  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    WindowLanes form;
    (void)form.find(site.loop);
    return form.run(scheduler, site.loop);
  }
  // Of products: tiles in registers may be faster, which is predicted well. What is predicted of pools is not.
  static bool holds_sum_of_products(const Site& site) {
    const std::vector<OpRef> loops = loops_of(site.loop);
    return std::any_of(loops.begin(), loops.end(), [](OpRef loop) {
      const ForRef of = ForRef::from(loop);
      return of.carried_count() > 0 && is_sum_of_products(of);
    });
  }

 private:
  struct Window {
    OpRef load;  // under guards, or in strides
    bool is_read_again;
  };

  Match find(OpRef nest) {
    for (OpRef at = nest; at.valid(); at = only_loop_in(at)) {
      const ForRef loop = ForRef::from(at);
      if (loop.carried_count() > 0) return Match::other_kind<reason::kCarriesValues>();
      kept_.push_back(at);
    }
    columns_ = kept_.back();
    const AlongLoop along{ForRef::from(columns_)};
    if (!along.has_loops) return Match::other_kind<reason::kNoWindow>();
    if (Match windows = match_windows(columns_.region(0), 1, kLongestWindow, terms_); !windows) return windows;
    if (along.allocates || along.launches) return Match::other_kind<reason::kMemoryOrLaunches>();
    if (along.stores.next == 0 || along.stores.apart() > 0) return Match::no<reason::kStoresNotContiguous>();
    if (along.loads.scattered > 0) return Match::other_kind<reason::kScatteredLoads>();
    if (extent(columns_).value_or(kFewestLanes) < kFewestLanes) return Match::no<reason::kShortRows>();
    if (Match windows = find_windows(); !windows) return windows;
    for (const OpRef op : loops_of(columns_))
      if (op != columns_ && loops_in(op.region(0)).empty() && *extent(op) > kMostWindowTerms)
        return Match::other_kind<reason::kLongInnerLoop>(kMostWindowTerms);
    return Match::yes();
  }

  // Loads whose subscript moves with the columns and with a loop of the window.
  Match find_windows() {
    std::vector<ForRef> loops;
    for (const OpRef op : kept_) loops.push_back(ForRef::from(op));
    for (const OpRef op : loops_of(columns_))
      if (op != columns_) loops.push_back(ForRef::from(op));
    bool any = false;
    for (const OpRef load : loads_in(columns_)) {
      const auto axes = window_axes(load, loops);
      if (!axes) return Match::other_kind<reason::kSubscriptNotAffine>();
      bool is_guarded = false, is_strided = false, overlaps = false, is_far = false, is_read_again = false;
      for (const WindowAxis& axis : *axes) {
        std::int64_t apart = 0, taps = 1;
        std::int64_t from_kept = 0;  // elements to what the next iteration of a loop of the nest reads
        bool moves = false;
        const auto is_kept = [&](const WindowAxis::Part& part) {
          return part.loop.op() == columns_ || !part.loop.op().is_inside(columns_);
        };
        // Long sums that are no windows have strategies of their own.
        if (terms_ > kMostWindowTerms && std::none_of(axis.parts.begin(), axis.parts.end(), is_kept) &&
            varies(varying_values(ForRef::from(columns_)), load))
          return Match::other_kind<reason::kLongWindow>(kMostWindowTerms);
        for (const WindowAxis::Part& part : axis.parts) {
          if (part.loop.op() == columns_) apart = part.times;
          if (is_kept(part)) {
            from_kept = std::max(from_kept, part.times);
            continue;
          }
          moves = true;
          taps += part.times * (*extent(part.loop.op()) - 1);
        }
        is_read_again = is_read_again || (from_kept > 0 && taps > from_kept);
        if (apart == 0) continue;
        if (axis.dim + 1 != subscripts_of(load).size()) return Match::other_kind<reason::kRowsNotLastAxis>();
        if (apart > kFarthestWindows) return Match::no<reason::kWindowsFarApart>();
        any = any || moves;
        apart_ = std::max(apart_, apart);
        taps_ = std::max(taps_, taps);
        is_guarded_ = is_guarded_ || load.parent_op().is(LoopOp::If);
        const std::int64_t bytes = dtype_info(AccessRef::from(load).buffer().dtype()).bytes;
        is_narrow_ = is_narrow_ || bytes < kShuffledBytes;
        is_wide_ = is_wide_ || bytes > kShuffledBytes;
        is_guarded = is_guarded || (moves && load.parent_op().is(LoopOp::If));
        is_strided = is_strided || (moves && apart * axis.step > 1);
        overlaps = overlaps || taps > apart;
        is_far = is_far || apart > kNearestFar;
      }
      // Branches are packed, and what windows have in common in strides; what only rows have, if it costs many
      // shuffles.
      if (is_guarded || (is_strided && (overlaps || (is_far && is_read_again))))
        windows_.push_back({load, is_read_again});
    }
    if (!any) return Match::other_kind<reason::kNoWindowSubscript>();
    if (is_slower_than_gathers()) return Match::no<reason::kPackingTooDear>();
    // What several iterations of a loop around read alike is worth registers that share it.
    const std::int64_t fewest = terms_ > kMostWindowTerms ? kFewestLongSharing : kFewestSharing;
    for (const OpRef sum : sums_in_columns())
      for (const OpRef load : loads_in(sum)) {
        if (!varies(varying_values(ForRef::from(columns_)), load)) continue;
        for (const OpRef loop : kept_)
          if (extent(loop).value_or(fewest) >= fewest && !varies(varying_values(ForRef::from(loop)), load))
            return Match::other_kind<reason::kWindowsShared>(loop_text(loop));
      }
    return Match::yes();
  }
  // Nothing that is packed would be read twice, and no shuffle of vectors has what lanes read in strides.
  [[nodiscard]] bool is_slower_than_gathers() const {
    if (taps_ > apart_ || taps_ < 2 || !sums_in_columns().empty()) return false;
    if (is_guarded_) return apart_ == kGuardedApart && (is_narrow_ || is_wide_);
    return apart_ > 1 && is_narrow_;
  }
  [[nodiscard]] std::vector<OpRef> sums_in_columns() const {
    std::vector<OpRef> out;
    for (const OpRef op : loops_in(columns_.region(0)))
      if (is_sum_of_products(ForRef::from(op))) out.push_back(op);
    return out;
  }

  Result<OpRef, Diagnostic> run(Scheduler& scheduler, OpRef nest) {
    const OpRef around = nest.parent_op();
    for (const Window& window : windows_)
      if (is_worth_packing(scheduler.limits(), window) && !pack(scheduler, window.load))
        return Failure{scheduler.refused()};
    // Blocks of a long sum have bounds that nothing is packed along.
    for (const OpRef op : loops_in(columns_.region(0))) narrow_sum(scheduler, op);
    part_epilogue(scheduler);
    const bool own_threads = ForRef::from(columns_).kind() == LoopKind::Parallel && loops_around(columns_).empty();
    if (!scheduler.vectorize_in(columns_, window_lanes_of(columns_))) return Failure{scheduler.refused()};
    if (own_threads && extent(columns_).value_or(kColumnsOfWindows + 1) > kColumnsOfWindows &&
        scheduler.tile_by(columns_, kColumnsOfWindows))
      ForRef::from(columns_.parent_op()).set_kind(LoopKind::Parallel);
    for (const OpRef loop : loops_of(columns_))
      if (loop != columns_ && terms_in(loop) <= kMostWindowTerms)
        (void)scheduler.take("unroll", loop, NumericsClass::Exact, scheduler.counts().unrolled,
                             [&] { return unroll(loop, 0, scheduler.facts()); });
    jam_rows(scheduler);
    return outermost_in(around, columns_);
  }

  // Rows whose windows overlap go side by side: they share what they read, and none waits for the sum of another.
  void jam_rows(Scheduler& scheduler) const {
    const OpRef rows = columns_.parent_op();
    const auto is_rows = [&](OpRef loop) { return loop == rows; };
    if (terms_ > kMostWindowTerms || std::none_of(kept_.begin(), kept_.end(), is_rows) || !is_nest(rows, columns_) ||
        loops_around(rows).empty())
      return;
    const std::vector<OpRef> loads = loads_in(columns_);
    if (std::none_of(loads.begin(), loads.end(), [&](OpRef load) { return overlap_along(load, rows); })) return;
    const std::int64_t most = scheduler.limits().registers.many() ? kRowsOfOverlap : kRowsOfOverlap / 2;
    scheduler.jam_later(rows, std::min(most, kCopiesOfTerms / terms_));
  }

  // Where rows leave many lanes of their last vector empty, an epilogue of some length gets loops of its own, which
  // iterate over all rows as one.
  void part_epilogue(Scheduler& scheduler) const {
    const auto count = extent(columns_);
    const std::int64_t lanes = window_lanes_of(columns_);
    if (!count || kept_.size() < 2 || AlongLoop{ForRef::from(columns_)}.work < kWorthOfFullLanes) return;
    const OpRef rows = kept_[kept_.size() - 2];
    const std::int64_t covered = ceil_div(*count, lanes) * lanes;
    if (4 * *count > 3 * covered || loops_around(rows).empty() || extent(rows).value_or(1) < 2) return;
    if (scheduler.take("distribute", rows, NumericsClass::Exact, scheduler.counts().tiled,
                       [&] { return distribute(rows); }))
      scheduler.collapse_all(rows.next());
  }

  // Of a loop of a window and those inside.
  static std::int64_t terms_in(OpRef loop) {
    std::int64_t most = 1;
    for (const OpRef inner : loops_in(loop.region(0))) most = std::max(most, terms_in(inner));
    return saturating_mul(most, extent(loop).value_or(kLongestWindow));
  }

  void narrow_sum(Scheduler& scheduler, OpRef op) const {
    if (terms_in(op) > kMostWindowTerms) {
      if (wide_reduction(ForRef::from(op), 0)) narrow_product_blocks(scheduler, op);
    } else if (terms_ > kWideWindowTerms || is_sum_of_products(ForRef::from(op))) {
      scheduler.narrow_sums(op);
    }
  }

  // What masks and shuffles read in place they read once for each window that has it.
  [[nodiscard]] bool is_worth_packing(const CpuLimits& limits, const Window& window) const {
    const bool has_masks = limits.registers.vector_bytes >= kFewestMaskedBytes;
    if (!has_masks || dtype_info(AccessRef::from(window.load).buffer().dtype()).bytes != kShuffledBytes) return true;
    if (!window.is_read_again) return false;
    if (rows_that_overlap(window.load) != columns_) return true;
    const std::int64_t fewest = sums_in_columns().empty() ? kFewestPackedColumns : kFewestPackedColumnsOfProducts;
    return extent(columns_).value_or(fewest) >= fewest;
  }
  // The rows that have elements of their windows in common; the columns where each row is by itself.
  [[nodiscard]] OpRef rows_that_overlap(OpRef load) const {
    if (kept_.size() < 2) return columns_;
    const OpRef rows = kept_[kept_.size() - 2];
    return overlap_along(load, rows) ? rows : columns_;
  }

  // Rows as many as let what their windows read stay near.
  bool pack(Scheduler& scheduler, OpRef load) {
    const OpRef rows = rows_that_overlap(load);
    const bool parallel = ForRef::from(rows).kind() == LoopKind::Parallel;
    for (OpRef at = columns_;; at = at.parent_op()) {
      ForRef::from(at).set_kind(LoopKind::Serial);
      if (at == rows) break;
    }
    const std::int64_t most = rows == columns_ ? kColumnsOfWindows : rows_to_pack(load);
    if (usual_extent(ForRef::from(rows)).value_or(most + 1) > most || loops_around(rows).empty()) {
      const std::int64_t size = loops_around(rows).empty() ? extent(rows).value_or(most) / kEnoughForThreads : most;
      if (!scheduler.tile_by(rows, std::clamp<std::int64_t>(size, 1, most))) return false;
      if (parallel) ForRef::from(rows.parent_op()).set_kind(LoopKind::Parallel);
    }
    if (!scheduler.take("pack-window", load, NumericsClass::Exact, scheduler.counts().staged,
                        [&] { return pack_window(load, rows, columns_); }))
      return false;
    const RegionRef region = rows.parent();
    const OpRef before = rows.previous().previous();
    scheduler.split_ranges(rows.previous());
    // Borders that are shorter than lanes stay loops.
    for (OpRef op = before.valid() ? before.next() : region.front(); op != rows; op = op.next()) {
      if (!ForRef::from(op).valid()) continue;
      scheduler.keep(op);
      for (const OpRef loop : loops_of(op))
        if (loops_in(loop.region(0)).empty() && usual_extent(ForRef::from(loop)).value_or(kFewestLanes) >= kFewestLanes)
          (void)scheduler.vectorize_in(loop, kCopyLanes);
    }
    return true;
  }
  // What they read, in as many rows for each as columns lie apart, fits into half of a first cache.
  [[nodiscard]] std::int64_t rows_to_pack(OpRef load) const {
    const std::int64_t bytes =
        saturating_mul(std::max<std::int64_t>(usual_extent(ForRef::from(columns_)).value_or(1), 1),
                       apart_ * apart_ * dtype_info(load.result().dtype()).bytes);
    return std::clamp(kBytesOfWindows / bytes / kRowsOfOverlap * kRowsOfOverlap, kFewestRowsOfWindows, kRowsOfWindows);
  }
  // The load's subscript iterates over the loop and over the window.
  static bool overlap_along(OpRef load, OpRef loop) {
    for (const IndexExpr e : subscripts_of(load)) {
      const IndexExpr over = over_values(load, e);
      const IndexPool& pool = load.module().context().index();
      if (coefficient_of(over, ForRef::from(loop).index()).value_or(0) == 0) continue;
      std::size_t values = 0;
      pool.for_each_atom(over, [&](AtomId id) { values += pool.atom(id).kind == AtomKind::Opaque ? 1 : 0; });
      return values > 1;
    }
    return false;
  }

  std::vector<OpRef> kept_;  // the loops of the nest, from the outside; the columns are the last one
  OpRef columns_;
  std::vector<Window> windows_;
  std::int64_t terms_ = 1, apart_ = 1;
  std::int64_t taps_ = 1;  // elements of a row from the first to the last one of a window
  bool is_guarded_ = false, is_narrow_ = false, is_wide_ = false;
};

}  // namespace

const StrategyDef kWindowLanesStrategy{
    .name = "window-lanes",
    .summary =
        "Lanes along columns that each reduce a short window; the window is written out, and what it reads is "
        "packed with its padding.",
    .stage = Stage::Nest,
    .numerics = NumericsClass::Reassociate,
    .matches = WindowLanes::matches,
    .why = WindowLanes::why,
    .apply = WindowLanes::apply,
    .is_compared = WindowLanes::holds_sum_of_products,
};

}  // namespace mlgc::schedule
