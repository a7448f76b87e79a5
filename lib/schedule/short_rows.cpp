// See short_rows.h.
#include "schedule/short_rows.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "loopir/subscripts.h"
#include "schedule/contraction.h"
#include "schedule/cpu_limits.h"
#include "schedule/loop_edit.h"

namespace mlgc::schedule {

namespace {

// As many numbers as a table of emitted code has at the most (kMostPlaces, codegen/emitter/place_tables.cpp).
constexpr std::int64_t kMostElements = 1024;
// Elements that a group of eight lanes finds its own among, by two loads of eight and a shuffle.
constexpr std::int64_t kNear = 16;

// The place of an access, row by row, at the indices of both loops; other indices count as 0. Nothing where it follows
// from what is computed, or from unknown sizes.
std::optional<std::int64_t> place_at(OpRef access, Value row, std::int64_t i, Value column, std::int64_t j) {
  const IndexPool& pool = access.module().context().index();
  const auto dims = AccessRef::from(access).buffer().dims();
  const auto subscripts = subscripts_of(access);
  std::int64_t place = 0;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    const auto at = pool.evaluate(subscripts[d], [&](AtomId id) -> std::optional<std::int64_t> {
      const Atom& atom = pool.atom(id);
      if (atom.kind != AtomKind::Opaque) return std::nullopt;
      const Value v = access.operand(atom.number);
      if (v == row || v == column) return v == row ? i : j;
      return v.is_argument() && ForRef::from(v.scope().parent_op()).valid() ? std::optional<std::int64_t>(0)
                                                                            : std::nullopt;
    });
    const auto size = pool.as_constant(dims[d]);
    if (!at || (!size && place != 0)) return std::nullopt;
    place = place * size.value_or(0) + *at;
  }
  return place;
}

bool reads_near(OpRef load, OpRef rows, OpRef columns) {
  const std::int64_t width = *extent(columns), count = *extent(rows) * width;
  const Value row = ForRef::from(rows).index(), column = ForRef::from(columns).index();
  for (std::int64_t first = 0; first < count; first += kRestLanes) {
    std::optional<std::int64_t> least, most;
    for (std::int64_t at = first; at < std::min(first + kRestLanes, count); ++at) {
      const auto place = place_at(load, row, at / width, column, at % width);
      if (!place) return false;
      least = std::min(least.value_or(*place), *place);
      most = std::max(most.value_or(*place), *place);
    }
    if (*most - *least >= kNear) return false;
  }
  return true;
}

}  // namespace

OpRef short_rows(OpRef nest) {
  OpRef rows, columns = nest;
  for (OpRef at = only_loop_in(nest); at.valid(); at = only_loop_in(at)) rows = columns, columns = at;
  if (!rows.valid() || ForRef::from(nest).carried_count() > 0) return {};
  const auto width = extent(columns), count = extent(rows);
  if (!width || !count || *width < 2 || *width >= kRestLanes || *count < 2 || *width * *count < kRestLanes ||
      *count > kMostElements / *width)
    return {};
  const ForRef of = ForRef::from(columns);
  if (of.carried_count() > 0) return {};
  bool reads = false;
  for (const OpRef op : of.body().ops()) {
    if (op.region_count() > 0) return {};
    if (!op.is(LoopOp::Load)) continue;
    reads = true;
    if (!reads_near(op, rows, columns)) return {};
  }
  return reads ? rows : OpRef();
}

}  // namespace mlgc::schedule
