// See steps.h.
#include "schedule/steps.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "analysis/loop_access.h"
#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "ops/combine.h"
#include "schedule/loop_edit.h"
#include "schedule/wide_sum.h"

namespace mlgc {

using namespace schedule;

namespace {

constexpr std::int64_t kMostUnrolled = 1024;

// Facts and expressions where the loop stands.
class Place {
 public:
  Place(OpRef loop, const Facts& facts)
      : loop_(loop), pool_(loop.module().context().index()), facts_(facts), walk_(loop.module().context(), facts) {
    walk_.enter_around(loop);
    const ForRef of = ForRef::from(loop);
    extent_ = walk_.over_loops(loop, pool_.sub(of.last(), of.first()));
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
  // What they cover is not negative.
  [[nodiscard]] bool covers(std::int64_t size) {
    return walk_.is_known(product_of(pool_, quotient_of(pool_, extent_, size), size));
  }

 private:
  OpRef loop_;
  IndexPool& pool_;
  const Facts& facts_;
  LoopAccess walk_;
  IndexExpr extent_;
};

}  // namespace

Result<OpRef, Diagnostic> find_loop(OpRef func, std::string_view index) {
  std::vector<OpRef> found;
  std::string names;
  walk(func, [&](OpRef op) {
    const ForRef loop = ForRef::from(op);
    if (!loop.valid()) return;
    if (index_name(loop) == index) found.push_back(op);
    if (!index_name(loop).empty()) names += (names.empty() ? "`%" : ", `%") + std::string(index_name(loop)) + "`";
  });
  if (found.size() == 1) return found[0];
  if (found.empty())
    return refuse<kScheduleNoSuchLoop>(index, func.symbol(), names.empty() ? "no loops" : "loops over " + names);
  return refuse<kScheduleAmbiguousLoop>(found.size(), func.symbol(), index);
}

namespace {

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

StepResult tile(OpRef loop, std::int64_t size, Tail tail, const Facts& facts) {
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
  const bool full = place.divides(size);
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
    // A copy behind the full tiles, which starts with what they leave.
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
  // Full tiles of an unrolled loop are unrolled too; threads share out tiles.
  if (kind == LoopKind::Parallel || kind == LoopKind::Unrolled) ForRef::from(outer).set_kind(kind);
  if (kind == LoopKind::Parallel) ForRef::from(loop).set_kind(LoopKind::Serial);
  move_strategy(loop, outer);
  return {};
}

namespace {

// What the loops carry is reduced by both, in their order: the inner one takes up each value where the outer one holds
// it, and gives it back.
bool carries_through(ForRef outer, ForRef inner) {
  if (outer.carried_count() != inner.carried_count()) return false;
  const OpRef end = outer.body().terminator();
  for (std::size_t i = 0; i < outer.carried_count(); ++i)
    if (inner.initial(i) != outer.carried(i) || end.operand(i) != inner.op().result(i) ||
        !outer.carried(i).has_one_use() || !reduction_chain(outer, i))
      return false;
  return true;
}

}  // namespace

StepResult interchange(OpRef loop, const Facts& facts) {
  const ForRef outer = ForRef::from(loop);
  MLGC_ASSERT(outer.valid(), "interchange: no loop");
  if (auto may = expect_perfectly_nested(outer); !may) return may;
  const OpRef inner_op = outer.body().front();
  const ForRef inner = ForRef::from(inner_op);
  if (!carries_through(outer, inner))
    return refuse<kScheduleCarriesValues>(index_name(outer.carried_count() > 0 ? outer : inner));
  for (const Value v : inner_op.operands())
    if (v == outer.index()) return refuse<kScheduleBoundsVary>(index_name(inner));
  // The iterations of one of them keep apart, whatever the other one does.
  auto conflict = find_conflict(outer, facts);
  if (conflict && !find_conflict(inner, facts, loop)) conflict.reset();
  if (conflict) return refuse(outer, *conflict);

  const IndexExpr outer_first = over_values(loop, outer.first()), outer_last = over_values(loop, outer.last());
  const IndexExpr inner_first = over_values(inner_op, inner.first()), inner_last = over_values(inner_op, inner.last());
  // Bounds, attributes, index and its name change sides; the body stays where it is.
  const AttrDict outer_attrs = loop.attrs(), inner_attrs = inner_op.attrs();
  const std::string outer_name(outer.index().name()), inner_name(inner.index().name());
  const Location outer_at = loop.location(), inner_at = inner_op.location();
  const Value outer_index = outer.index(), inner_index = inner.index();
  std::vector<Use> of_outer, of_inner;
  for (const Use use : outer_index.uses()) of_outer.push_back(use);
  for (const Use use : inner_index.uses()) of_inner.push_back(use);
  for (const Use& use : of_outer) use.set(inner_index);
  for (const Use& use : of_inner) use.set(outer_index);
  loop.set_attrs(inner_attrs);
  inner_op.set_attrs(outer_attrs);
  set_loop(loop, inner_first, inner_last, initial_values(outer));
  set_loop(inner_op, outer_first, outer_last, carried_values(outer));
  loop.set_location(inner_at);
  inner_op.set_location(outer_at);
  outer_index.set_name(inner_name);
  inner_index.set_name(outer_name);
  return {};
}

StepResult unroll(OpRef loop, std::int64_t factor, const Facts& facts) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "unroll: no loop");
  if (auto may = expect_no_combined_lanes(of); !may) return may;
  if (factor < 0 || factor > kMostUnrolled)
    return refuse<kScheduleParameter>("the factor", factor, "from 0 to " + std::to_string(kMostUnrolled));
  if (factor == 0) {
    IndexPool& pool = loop.module().context().index();
    const auto count = pool.as_constant(pool.sub(of.last(), of.first()));
    if (!count || *count > kMostUnrolled)
      return refuse<kScheduleTripCount>(index_name(of), trip_count_text(count),
                                        "a constant of at most " + std::to_string(kMostUnrolled));
    ForRef::from(loop).set_kind(LoopKind::Unrolled);
    return {};
  }
  if (of.kind() == LoopKind::Vector)
    return refuse<kScheduleLoopKind>(index_name(of), kind_text(of), "vector loops only as a whole");
  if (auto tiled = tile(loop, factor, Tail::Loop, facts); !tiled) return tiled;
  ForRef::from(loop).set_kind(LoopKind::Unrolled);
  return {};
}

StepResult vectorize(OpRef loop, std::int64_t lanes, const Facts& facts, std::int64_t per_lane) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "vectorize: no loop");
  if (lanes < 2 || lanes > kMostLanes || !std::has_single_bit(static_cast<std::uint64_t>(lanes)))
    return refuse<kScheduleParameter>("the number of lanes", lanes,
                                      "a power of two from 2 to " + std::to_string(kMostLanes));
  if (per_lane < 1 || per_lane > kMostPerLane || !std::has_single_bit(static_cast<std::uint64_t>(per_lane)))
    return refuse<kScheduleParameter>("the iterations of a lane at a time", per_lane,
                                      "a power of two from 1 to " + std::to_string(kMostPerLane));
  if (of.kind() == LoopKind::Vector)
    return refuse<kScheduleLoopKind>(index_name(of), kind_text(of), "loops without lanes");
  Context& context = loop.module().context();
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < of.carried_count(); ++i) {
    const auto step = carried_step(of, i);
    if (!step) return refuse<kScheduleNotAReduction>(i, index_name(of), step.error());
    words.push_back(combine_word(step->fn));
  }
  StepResult may;
  walk(loop, [&](OpRef op) {
    if (loop_role(op) == LoopRole::Runs || op.is(LoopOp::While))
      may = refuse<kScheduleUnsupportedOp>(index_name(of), op.name(), "run in lanes");
    if (loop_role(op) == LoopRole::Allocates && context.types().scope(op.result().type()) != Scope::Register)
      may = refuse<kScheduleLaneMemory>(index_name(of));
  });
  if (!may) return may;
  if (const auto conflict = find_conflict(of, facts)) return refuse(of, *conflict);
  ForRef::from(loop).set_kind(LoopKind::Vector);
  of.set_lanes(lanes);
  of.set_per_lane(per_lane);
  if (!words.empty()) of.set_combine(words);
  return {};
}

NumericsClass vectorizing_changes(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  NumericsClass widest = NumericsClass::Exact;
  for (std::size_t i = 0; i < of.carried_count(); ++i) {
    const auto chain = reduction_chain(of, i);
    if (!chain || !is_float(of.carried(i).dtype())) continue;
    const bool rounds = chain->fn == ScalarFn::Add || chain->fn == ScalarFn::Mul;
    widest = std::max(widest, rounds ? NumericsClass::Reassociate : NumericsClass::SignedZero);
  }
  return widest;
}

StepResult parallelize(OpRef loop, const Facts& facts) {
  const ForRef of = ForRef::from(loop);
  MLGC_ASSERT(of.valid(), "parallelize: no loop");
  if (of.kind() == LoopKind::Parallel)
    return refuse<kScheduleLoopKind>(index_name(of), kind_text(of), "loops of other kinds");
  if (auto may = expect_no_carried(of); !may) return may;
  const TypePool& types = loop.module().context().types();
  StepResult may;
  walk(loop, [&](OpRef op) {
    if (loop_role(op) == LoopRole::Runs)
      may = refuse<kScheduleUnsupportedOp>(index_name(of), op.name(), "run on several threads");
    if (loop_role(op) == LoopRole::Allocates && types.scope(op.result().type()) == Scope::Arena)
      may = refuse<kScheduleSharedScratch>(
          index_name(of), "`" + std::string(op.result().name()) + "`, which is allocated in the arena");
    const AccessRef access = AccessRef::from(op);
    if (!access.valid()) return;
    const Value buffer = access.buffer();
    const Scope scope = types.scope(buffer.type());
    const RegionRef home = underlying_buffer(buffer).scope();
    const bool outside = !(home == of.body()) && !home.parent_op().is_inside(loop);
    if (outside && (scope == Scope::Thread || scope == Scope::Register))
      may = refuse<kScheduleSharedScratch>(
          index_name(of), "`" + std::string(buffer.name()) + "`, which is scratch of one thread around the loop");
  });
  if (!may) return may;
  if (const auto conflict = find_conflict(of, facts)) return refuse(of, *conflict);
  ForRef::from(loop).set_kind(LoopKind::Parallel);
  return {};
}

std::string_view step_summary(std::string_view step) {
  if (step == "fuse-product") return "Adds products of f32 to a sum before they are rounded (fused multiply-add).";
  if (step == "split-argument") return "Finds an extremum first and its position after it: another zero may be it.";
  return "";
}

}  // namespace mlgc
