// outer-product-tiles-of-outer-loop: for j { for i { sum } } with few i becomes for j_o { for i { for j in lanes { sum
// } } }, what the sum reads along j being packed once, in front of all loops that share it.
#include <algorithm>

#include "schedule/contraction.h"
#include "schedule/cpu_lanes.h"
#include "schedule/reduction_order.h"
#include "schedule/scheduler.h"
#include "schedule/strategies/strategies.h"
#include "schedule/strategy_text.h"
#include "support/saturating.h"

namespace mlgc::schedule {

namespace {

struct OuterProductTilesOfOuterLoop {
  // The loop that gets the lanes; an invalid handle: there is none.
  static OpRef columns_of(OpRef sum) {
    const std::vector<OpRef> around = loops_around(sum);
    const OpRef few = around.front();
    OpRef longest;
    for (auto at = around.begin() + 1; at != around.end(); ++at) {
      const std::int64_t count = extent(*at).value_or(0);
      if (count < fewest_columns(few) || !shares(*at, few, sum) || !shares(few, *at, sum) || !is_nest(*at, few))
        continue;
      if (count >= kFewProductColumns) return *at;
      if (!longest.valid() || count > *extent(longest)) longest = *at;
    }
    return longest;
  }
  // Where no loop fills 8 lanes, one that fills more than half of them, and that is longer.
  static std::int64_t fewest_columns(OpRef few) {
    return std::max(kFewProductColumns / 2 + 1, extent(few).value_or(kFewProductColumns) + 1);
  }
  // The loads that differ along the loop with the lanes.
  static std::vector<OpRef> packed_of(OpRef sum, OpRef columns) {
    const auto across = varying_values(ForRef::from(columns));
    std::vector<OpRef> packed = loads_in(sum);
    std::erase_if(packed, [&](OpRef load) { return !varies(across, load); });
    return packed;
  }
  static bool read_along(const std::vector<OpRef>& packed, OpRef loop) {
    const auto along = varying_values(ForRef::from(loop));
    return std::any_of(packed.begin(), packed.end(), [&](OpRef load) { return varies(along, load); });
  }

  // Iterations of a loop around the innermost one read adjacent elements, so that vectors load them without a copy.
  static bool reads_neighbours(OpRef sum) {
    const std::vector<OpRef> around = loops_around(sum), loads = loads_in(sum);
    return std::any_of(around.begin() + 1, around.end(), [&](OpRef loop) {
      return std::any_of(loads.begin(), loads.end(), [&](OpRef load) {
        return stride_bytes(load, ForRef::from(loop)) == dtype_info(AccessRef::from(load).buffer().dtype()).bytes;
      });
    });
  }

  static Match matches(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const OpRef sum = site.loop, few = loops_around(sum).front();
    if (extent(few).value_or(kFewProductColumns) >= kFewProductColumns)
      return Match::other_kind<reason::kOuterLoopLong>(count_text(few));
    if (is_column_loop(few)) return Match::no<reason::kOuterLoopHasColumns>();
    if (goes_along(sum)) return Match::no<reason::kSumContiguous>();
    std::int64_t terms = 1;
    for (const OpRef loop : loops_of(sum)) terms = saturating_mul(terms, extent(loop).value_or(1));
    const bool has_no_lanes = extent(few).value_or(kFewestColumns) < kFewestColumns && !reads_neighbours(sum);
    const std::int64_t fewest = has_no_lanes ? kFewestOuterTermsOfFewest : kFewestOuterTerms;
    if (terms < fewest) return Match::no<reason::kFewTerms>(fewest);
    const OpRef columns = columns_of(sum);
    if (!columns.valid()) return Match::no<reason::kNoSharedOuterLoop>(fewest_columns(few));
    if (ForRef::from(few).kind() == LoopKind::Vector) return Match::no<reason::kOuterLoopVector>();
    if (read_along(packed_of(sum, columns), few)) return Match::no<reason::kLanesNotShared>(loop_text(few));
    return Match::yes();
  }
  static std::string why(const Scheduler& scheduler, const Site& site) {
    (void)scheduler;
    const OpRef few = loops_around(site.loop).front(), columns = columns_of(site.loop);
    return iterations_text(few) + " are less than " + std::to_string(kFewProductColumns) + ", and " +
           iterations_text(columns) + " share what they read";
  }

  static Result<OpRef, Diagnostic> apply(Scheduler& scheduler, const Site& site) {
    const OpRef sum = site.loop, around = sum.parent_op();
    OpRef columns = columns_of(sum);
    const std::vector<OpRef> packed = packed_of(sum, columns);
    const bool shared_columns = ForRef::from(columns).kind() == LoopKind::Parallel;
    for (OpRef inner = only_loop_in(columns); inner.valid(); inner = only_loop_in(columns)) {
      if (!scheduler.interchange_with_inner(columns)) return Failure{scheduler.refused()};
      columns = inner;
    }
    const std::int64_t bytes = sum_bytes(scheduler, sum), count = *extent(columns);
    const std::int64_t lanes = strip_lanes_of(scheduler.limits().registers, count, bytes);
    if (!scheduler.vectorize_in(columns, lanes)) return Failure{scheduler.refused()};
    if (count > lanes && scheduler.tile_by(columns, lanes))
      move_out(scheduler, columns.parent_op(), packed, shared_columns);
    const OpRef rows = columns.parent_op();
    pack_all(scheduler, rows, packed);
    scheduler.collapse_all(sum);
    narrow_product_blocks(scheduler, sum);
    scheduler.jam_later(rows, rows_in_registers(scheduler.limits().registers, lanes, bytes));
    return outermost_in(around, sum);
  }

 private:
  // Strips outside of all loops that what they read does not differ along.
  static void move_out(Scheduler& scheduler, OpRef strips, const std::vector<OpRef>& packed, bool shared) {
    if (shared) (void)parallelize(strips, scheduler.facts());
    for (OpRef outer = strips.parent_op();
         ForRef::from(outer).valid() && only_loop_in(outer) == strips && !read_along(packed, outer);
         outer = strips.parent_op()) {
      if (!scheduler.interchange_with_inner(outer)) break;
      strips = outer;
    }
  }
  // In front of the outermost loop that shares it.
  static void pack_all(Scheduler& scheduler, OpRef rows, const std::vector<OpRef>& packed) {
    OpRef nest = rows;
    for (OpRef outer = nest.parent_op();
         ForRef::from(outer).valid() && only_loop_in(outer) == nest && !read_along(packed, outer);
         outer = nest.parent_op())
      nest = outer;
    // In front of a nest in no other loop any thread reads it; in a loop each iteration has its own.
    const bool outermost = loops_around(nest).empty();
    std::vector<OpRef> parallel;
    for (const OpRef loop : loops_of(nest))
      if (ForRef::from(loop).kind() == LoopKind::Parallel) parallel.push_back(loop);
    for (const OpRef loop : parallel) ForRef::from(loop).set_kind(LoopKind::Serial);
    for (const OpRef load : packed)
      if (scheduler.pack_before(load, nest)) give_packing_lanes(scheduler, nest.previous());
    if (outermost)
      for (const OpRef loop : parallel) ForRef::from(loop).set_kind(LoopKind::Parallel);
  }
};

}  // namespace

const StrategyDef kOuterProductTilesOfOuterLoopStrategy{
    .name = "outer-product-tiles-of-outer-loop",
    .summary = "As outer-product-tiles, with lanes over a loop further outside, whose operand is packed.",
    .stage = Stage::Products,
    .numerics = NumericsClass::Reassociate,
    .matches = OuterProductTilesOfOuterLoop::matches,
    .why = OuterProductTilesOfOuterLoop::why,
    .apply = OuterProductTilesOfOuterLoop::apply,
};

}  // namespace mlgc::schedule
