// tile: two loops of one, over tiles and over the iterations of a tile.
#include "schedule/loop_transforms.h"

#include <algorithm>
#include <vector>

#include "analysis/loop_access.h"
#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "schedule/loop_edit.h"

namespace mlgc {

using namespace schedule;

namespace {

// Facts and expressions where the loop stands.
class Place {
 public:
  Place(OpRef loop, const Facts& facts)
      : loop_(loop), pool_(loop.module().context().index()), facts_(facts), walk_(loop.module().context(), facts) {
    walk_.enter_around(loop);
    const ForRef of = ForRef::from(loop);
    first_ = walk_.over_loops(loop, of.first());
    extent_ = pool_.sub(walk_.over_loops(loop, of.last()), first_);
  }
  [[nodiscard]] bool divides(std::int64_t size) {
    return pool_.equal(pool_.mod(extent_, pool_.constant(size)), pool_.constant(0), facts_) == Truth::Yes;
  }
  // Full tiles cover no more iterations than there are. What the sides of a minimum or maximum say of where they begin
  // is not told again later.
  [[nodiscard]] bool begins_simply() {
    bool simple = true;
    pool_.for_each_atom(ForRef::from(loop_).first(), [&](AtomId id) {
      simple = simple && pool_.atom(id).kind != AtomKind::Min && pool_.atom(id).kind != AtomKind::Max;
    });
    pool_.for_each_atom(extent_, [&](AtomId id) { simple = simple && pool_.atom(id).kind != AtomKind::Max; });
    return simple;
  }
  [[nodiscard]] bool splits(std::int64_t size) {
    return walk_.is_known(pool_.sub(extent_, product_of(pool_, quotient_of(pool_, extent_, size), size)));
  }
  [[nodiscard]] bool has_as_many_as(std::int64_t size) {
    return walk_.is_known(pool_.sub(extent_, pool_.constant(size)));
  }
  // What they cover is not negative, and nor is the index that comes after: that is what subscripts ask of the loop
  // that begins there, which do not tell the two apart.
  [[nodiscard]] bool covers(std::int64_t size) {
    const IndexExpr done = product_of(pool_, quotient_of(pool_, extent_, size), size);
    return walk_.is_known(done) && walk_.is_known(pool_.add(first_, done));
  }

 private:
  OpRef loop_;
  IndexPool& pool_;
  const Facts& facts_;
  LoopAccess walk_;
  IndexExpr first_, extent_;
};

// The op stands in a loop inside of the other one that carries values.
bool is_in_reduction(OpRef op, OpRef loop) {
  for (OpRef at = op.parent_op(); at.valid() && at != loop; at = at.parent_op())
    if (const ForRef inner = ForRef::from(at); inner.valid() && inner.carried_count() > 0) return true;
  return false;
}

// Iterations may run twice, on one thread: nothing that they write is read by them, or carried on. Nor what may be one
// memory with it: an argument of as many elements that is read element by element.
bool may_repeat(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  if (of.carried_count() > 0 || of.kind() == LoopKind::Parallel || of.kind() == LoopKind::Unrolled) return false;
  // What begins at a minimum is not told apart between the iterations of another loop that bounds it.
  for (const Value v : loop.operands())
    if (const ForRef around = ForRef::from(v.scope().parent_op());
        around.valid() && v == around.index() && around.kind() == LoopKind::Parallel)
      return false;
  std::vector<Value> written, read, beside;
  bool plain = true;
  walk(loop, [&](OpRef op) {
    plain = plain && loop_role(op) != LoopRole::Runs && loop_role(op) != LoopRole::Sizes;
    for_each_written(op, [&](Value v) { written.push_back(v); });
    if (!loaded_buffer(op).valid()) return;
    read.push_back(underlying_buffer(loaded_buffer(op)));
    if (!is_in_reduction(op, loop) && read.back().is_argument()) beside.push_back(read.back());
  });
  for (const Value v : written)
    for (const Value other : beside)
      plain = plain && !(v.is_argument() && v.dtype() == other.dtype() && element_count(v) == element_count(other));
  for (const Value v : written) {
    const bool inside = v.scope() == of.body() || v.scope().parent_op().is_inside(loop);
    plain = plain && (inside || std::find(read.begin(), read.end(), v) == read.end());
  }
  return plain;
}

}  // namespace

TransformResult tile(OpRef loop, std::int64_t size, Tail tail, const Facts& facts) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "tile: no loop");
  const LoopKind kind = of.kind();
  const std::string name(index_name(of));
  if (size < 1) return refuse<kScheduleParameter>("the tile size", size, "1 or more");
  if (auto may = expect_no_combined_lanes(of); !may) return may;
  if (kind == LoopKind::Vector && size % (of.lanes() * of.per_lane()) != 0)
    return refuse<kScheduleParameter>(
        "the tile size", size,
        "a multiple of the " + std::to_string(of.lanes() * of.per_lane()) + " lanes of the loop");
  Module& module = loop.module();
  IndexPool& pool = module.context().index();
  Place place(loop, facts);
  // A minimum hides from the tiles that they are full.
  const bool full = place.divides(size) && place.begins_simply();
  if (kind == LoopKind::Unrolled && tail == Tail::Min && !full)
    return refuse<kScheduleTail>(name, "a smaller tile of an unrolled loop has no constant trip count");
  const IndexExpr first = over_values(loop, of.first()), last = over_values(loop, of.last());
  const IndexExpr extent = pool.sub(last, first), width = pool.constant(size);
  const std::vector<Value> initial = initial_values(of);
  const bool split = tail == Tail::Loop && !full, twice = tail == Tail::Overlap && !full;
  if (twice && !place.begins_simply())
    return refuse<kScheduleTail>(name, "the first iteration of the loop is a minimum or a maximum");
  if (twice && !may_repeat(loop))
    return refuse<kScheduleTail>(name, "iterations that run twice would change the result");
  if (twice && !place.has_as_many_as(size))
    return refuse<kScheduleTail>(name, "the loop is not shown to have as many iterations as a tile");
  if (split && !(place.begins_simply() && place.splits(size)))
    return refuse<kScheduleTail>(name, "the number of full tiles is not a quotient of sizes, since bounds are minima");
  const IndexExpr tiles = split  ? quotient_of(pool, extent, size)
                          : full ? pool.floordiv(extent, width)
                                 : pool.ceildiv(extent, width);
  if (pool.floordiv(extent, width) == pool.overflow() || pool.ceildiv(extent, width) == pool.overflow())
    return refuse<kScheduleBounds>(name, "they exceed 64 bits");

  OpRef rest;
  if (split) {
    // The remainder loop, a copy after the full tiles, which starts with what they leave.
    Builder builder(module);
    builder.set_after(loop);
    ValueMap map;
    rest = clone(loop, builder, map);
    walk(rest, [&](OpRef op) {
      const ForRef copy = ForRef::from(op);
      if (!copy.valid() || copy.index().name().empty()) return;
      const std::string stem = std::string(copy.index().name()) + "_tail";
      copy.index().set_name(fresh_name(loop, stem));
    });
    for (std::size_t i = 0; i < loop.result_count(); ++i) loop.result(i).replace_all_uses_with(rest.result(i));
  }
  const OpRef outer = wrap(loop, tiles, fresh_name(loop, name + "_o"));
  const IndexExpr next = pool.add(first, pool.scale(of_value(ForRef::from(outer).index()), size));
  const IndexExpr begin = twice ? pool.min(next, pool.sub(last, width)) : next, end = pool.add(begin, width);
  set_loop(loop, begin, full || split || twice ? end : pool.min(end, last), carried_values(ForRef::from(outer)));
  if (split) {
    const IndexExpr done = covered_by(pool, tiles, size);
    const std::vector<Value> left(outer.results().begin(), outer.results().end());
    set_loop(rest, pool.add(first, place.covers(size) ? done : pool.max(done, pool.constant(0))), last, left);
  }
  // Full tiles of an unrolled loop are unrolled too; tiles of a parallel loop are distributed.
  if (kind == LoopKind::Parallel || kind == LoopKind::Unrolled) ForRef::from(outer).set_kind(kind);
  if (kind == LoopKind::Parallel) ForRef::from(loop).set_kind(LoopKind::Serial);
  move_strategy(loop, outer);
  return {};
}

}  // namespace mlgc
