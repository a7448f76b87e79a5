// See cpu_lanes.h.
#include "schedule/cpu_lanes.h"

#include <algorithm>
#include <bit>

#include "loopir/nests.h"
#include "schedule/contraction.h"
#include "schedule/cpu_limits.h"
#include "schedule/reduction_order.h"
#include "support/saturating.h"

namespace mlgc::schedule {

Match match_columns(OpRef loop, const AlongLoop& along, ColumnNeeds needs) {
  const bool rows = needs == ColumnNeeds::Rows, packed = rows || needs == ColumnNeeds::Packed;
  const bool runs = needs == ColumnNeeds::Running;
  const bool may_keep = rows || runs || needs == ColumnNeeds::MayKeep;
  if (!along.has_loops) return Match::other_kind<reason::kNoInnerLoop>();
  if (ForRef::from(loop).carried_count() > 0) return Match::other_kind<reason::kCarriesValues>();
  if (along.has_vectors) return Match::other_kind<reason::kInnerLoopParallel>();
  if (along.allocates && !may_keep) return Match::no<reason::kLaneMemory>();
  if (along.launches) return Match::other_kind<reason::kLaunches>();
  if (along.bounds_vary) return Match::no<reason::kBoundsVary>();
  // What is read much more often than written may be written in strides.
  if (may_keep ? along.stores.next + along.stores.strided == 0 || along.stores.scattered > 0
               : along.stores.next == 0 || along.stores.apart() > 0)
    return Match::no<reason::kStoresNotContiguous>();
  if (!packed && (along.loads.next == 0 || (runs ? along.inner_loads.strided : along.inner_loads.apart()) > 0))
    return Match::no<reason::kLoadsNotContiguous>();
  if (extent(loop).value_or(kFewestColumns) < kFewestColumns) return Match::no<reason::kTooShort>();
  return Match::yes();
}
bool is_column_loop(OpRef loop, bool packed) {
  return static_cast<bool>(
      match_columns(loop, AlongLoop{ForRef::from(loop)}, packed ? ColumnNeeds::Packed : ColumnNeeds::Plain));
}

bool holds_products(OpRef loop) {
  const std::vector<OpRef> inner = loops_in(loop.region(0));
  return std::any_of(inner.begin(), inner.end(), [](OpRef op) {
    const ForRef of = ForRef::from(op);
    return of.carried_count() > 0 && is_sum_of_products(of) && shares_factors(op);
  });
}

Match match_windows(RegionRef region, std::int64_t around, std::int64_t limit, std::int64_t& most) {
  for (const OpRef op : loops_in(region)) {
    const ForRef loop = ForRef::from(op);
    const auto count = extent(op);
    if (loop.kind() != LoopKind::Serial) return Match::other_kind<reason::kInnerLoopParallel>();
    if (loop.carried_count() == 0) return Match::other_kind<reason::kInnerLoopNoReduction>();
    if (!count || *count < 1) return Match::other_kind<reason::kTripCountUnknown>();
    const std::int64_t terms = saturating_mul(around, *count);
    if (terms > limit) return Match::other_kind<reason::kManyReducedTerms>(limit);
    most = std::max(most, terms);
    if (Match inner = match_windows(op.region(0), terms, limit, most); !inner) return inner;
  }
  return Match::yes();
}

std::int64_t window_lanes_of(OpRef loop) {
  const auto count = usual_extent(ForRef::from(loop));
  if (!count || *count > kWindowLanes) return kWindowLanes;
  return std::max<std::int64_t>(4, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(*count))));
}

std::int64_t lanes_that_may_fill(OpRef loop, std::int64_t lanes, const Facts& facts) {
  const ForRef of = ForRef::from(loop);
  if (usual_extent(of)) return lanes;
  IndexPool& index = loop.module().context().index();
  const IndexExpr count = index.sub(of.last(), of.first());
  while (lanes > kFewestLanes && index.is_non_negative(index.sub(index.constant(lanes / 2), count), facts)) lanes /= 2;
  return lanes;
}

std::int64_t lanes_without_rest(OpRef loop, std::int64_t fewest, std::int64_t most) {
  const auto count = usual_extent(ForRef::from(loop));
  if (!count || *count < kFewestLanes) return most;
  auto lanes = std::min(most, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(*count))));
  const auto used = [&](std::int64_t n) { return (*count + n - 1) / n * n; };
  for (std::int64_t n = lanes / 2; n >= fewest; n /= 2)
    if (used(n) + *count / 8 < used(lanes)) lanes = n;
  return lanes;
}

bool give_lanes_by(Scheduler& scheduler, OpRef loop, std::int64_t tile_size, std::int64_t most_lanes) {
  const auto count = extent(loop), usual = usual_extent(ForRef::from(loop));
  std::int64_t lanes = most_lanes;
  if (usual) lanes = std::min(lanes, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(*usual))));
  const bool own_threads = ForRef::from(loop).kind() == LoopKind::Parallel && !is_parallel_inside(loop);
  if (!scheduler.vectorize_in(loop, lanes, vectorizing_changes(loop))) return false;
  if (own_threads && count.value_or(tile_size + 1) > tile_size && scheduler.tile_by(loop, tile_size))
    ForRef::from(loop.parent_op()).set_kind(LoopKind::Parallel);
  return true;
}

void narrow_long(Scheduler& scheduler, OpRef loop, std::int64_t size) {
  if (extent(loop).value_or(kWideSumTerms + 1) <= kWideSumTerms || !scheduler.may_reassociate()) return;
  (void)scheduler.take("narrow", loop, NumericsClass::Reassociate, scheduler.counts().narrowed,
                       [&] { return narrow_blocks(loop, size, scheduler.facts()); });
}

void narrow_unless_short(Scheduler& scheduler, OpRef loop) {
  if (extent(loop).value_or(kWideSumTerms + 1) > kWideSumTerms) scheduler.narrow_sums(loop);
}

}  // namespace mlgc::schedule
