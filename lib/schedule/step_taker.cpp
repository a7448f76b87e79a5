// See step_taker.h.
#include "schedule/step_taker.h"

#include "ir/builder.h"
#include "ir/walk.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "ops/combine.h"
#include "schedule/along_loop.h"

namespace mlgc::schedule {

namespace {

// The product of two values of f32 that the op is, by its row alone.
bool is_product_of_f32(OpRef op) {
  if (!op.valid() || !op.is(GraphOp::Mul) || op.operand_count() != 2) return false;
  const Type f32 = op.module().context().types().scalar(Dtype::F32);
  return op.result().type() == f32 && op.operand(0).type() == f32 && op.operand(1).type() == f32;
}

// The sum of what is carried and a product that nothing else reads becomes one op.
TransformResult fuse_product(OpRef sum, Value carried) {
  const OpRef product = sum.operand(sum.operand(0) == carried ? 1 : 0).definer();
  if (!is_product_of_f32(product) || carried.type() != product.result().type() || !product.result().has_one_use())
    return refuse<kScheduleNothingToDo>("fuse", "the sum does not add a product of f32 that nothing else reads");
  Builder builder(sum.module());
  builder.set_location(sum.location());
  builder.set_before(sum);
  const Value made = FmaRef::create(builder, product.operand(0), product.operand(1), carried).op().result();
  made.set_name(std::string(sum.result().name()));
  sum.result().replace_all_uses_with(made);
  sum.erase();
  product.erase();
  return {};
}

}  // namespace

std::vector<OpRef> loops_in(RegionRef region) {
  std::vector<OpRef> out;
  for (const OpRef op : region.ops()) {
    if (ForRef::from(op).valid()) {
      out.push_back(op);
      continue;
    }
    for (const RegionRef arm : op.regions()) {
      const std::vector<OpRef> inner = loops_in(arm);
      out.insert(out.end(), inner.begin(), inner.end());
    }
  }
  return out;
}

OpRef next_loop(RegionRef region, OpRef before) {
  OpRef at = before.valid() ? before.next() : region.front();
  while (at.valid() && !ForRef::from(at).valid()) at = at.next();
  return at;
}

PlaceAmongLoops::PlaceAmongLoops(OpRef loop) : region_(loop.parent()), before_(loop), behind_(loop) {
  do before_ = before_.previous();
  while (before_.valid() && !ForRef::from(before_).valid());
  do behind_ = behind_.next();
  while (behind_.valid() && !ForRef::from(behind_).valid());
}

std::vector<OpRef> PlaceAmongLoops::loops() const {
  std::vector<OpRef> out;
  for (OpRef op = before_.valid() ? before_.next() : region_.front(); op.valid() && op != behind_; op = op.next())
    if (ForRef::from(op).valid()) out.push_back(op);
  return out;
}

OpRef PlaceAmongLoops::first() const {
  const OpRef first = next_loop(region_, before_);
  return first == behind_ ? OpRef() : first;
}

OpRef outermost_in(OpRef around, OpRef loop) {
  while (loop.parent_op() != around) loop = loop.parent_op();
  return loop;
}

bool is_scheduled(OpRef nest) {
  return !walk(nest, [](OpRef op) {
    const ForRef loop = ForRef::from(op);
    const bool plain = !loop.valid() || loop.kind() == LoopKind::Serial || loop.kind() == LoopKind::Parallel;
    return plain ? WalkResult::Continue : WalkResult::Stop;
  });
}

bool is_parallel_inside(OpRef loop) {
  for (OpRef at = loop.parent_op(); at.valid(); at = at.parent_op())
    if (const ForRef around = ForRef::from(at); around.valid() && around.kind() == LoopKind::Parallel) return true;
  return false;
}

std::optional<std::int64_t> extent(OpRef loop) {
  const ForRef of = ForRef::from(loop);
  IndexPool& pool = loop.module().context().index();
  return pool.as_constant(pool.sub(of.last(), of.first()));
}

bool is_sum_of_products(ForRef loop) {
  for (ForRef at = loop; at.valid();) {
    const OpRef end = at.body().terminator();
    const OpRef next = end.operand(0).definer();
    if (const ForRef inner = ForRef::from(next); inner.valid()) {
      at = inner;
      continue;
    }
    const auto step = carried_step(at, 0);
    if (!step || step->fn != ScalarFn::Add) return false;
    if (const FmaRef fma = FmaRef::from(step->op); fma.valid()) return fma.left() != fma.right();
    for (const Value v : step->op.operands()) {
      OpRef from = v.definer();
      if (from.valid() && from.is(GraphOp::Cast)) from = from.operand(0).definer();
      if (from.valid() && from.is(GraphOp::Mul) && from.operand(0) != from.operand(1)) return true;
    }
    return false;
  }
  return false;
}

bool is_transposition(OpRef across, OpRef along, std::int64_t least) {
  const AlongLoop inner{ForRef::from(along)}, outer{ForRef::from(across)};
  if (inner.has_loops || inner.loads.strided == 0 || inner.stores.next == 0 || outer.loads.next == 0) return false;
  return usual_extent(ForRef::from(across)).value_or(least) >= least &&
         usual_extent(ForRef::from(along)).value_or(least) >= least;
}

std::optional<Transposition> transposition(OpRef nest, std::int64_t least) {
  const std::vector<OpRef> chain = parallel_chain(nest);
  if (chain.size() < 2) return std::nullopt;
  const OpRef across = chain[chain.size() - 2], along = chain.back();
  return is_transposition(across, along, least) ? std::optional(Transposition{across, along}) : std::nullopt;
}

Location StepTaker::source_of(OpRef op) {
  const LocationTable& locations = op.module().context().locations();
  Location found;
  for (OpRef at = op; at.valid() && !locations.primary(found).known(); at = at.parent_op()) found = at.location();
  return found;
}

std::string StepTaker::transform_name(std::string_view what, OpRef op) {
  const ForRef loop = ForRef::from(op);
  const std::string_view index = loop.valid() ? loop.index().name() : std::string_view();
  return std::string(what) + (index.empty() ? "" : " of %" + std::string(index));
}

namespace {
// Bytes of the narrowest and of the widest element that the loop reads.
std::pair<std::int64_t, std::int64_t> element_bytes(OpRef loop) {
  std::int64_t narrowest = 8, widest = 1;
  for (const OpRef op : loop.region(0).ops()) {
    if (!op.is(LoopOp::Load)) continue;
    const auto bytes = static_cast<std::int64_t>(dtype_info(op.operand(0).dtype()).bytes);
    narrowest = std::min(narrowest, bytes), widest = std::max(widest, bytes);
  }
  return {narrowest, widest};
}
}  // namespace

bool fills_square(const Transposition& of) {
  const std::int64_t across = usual_extent(ForRef::from(of.across)).value_or(kSmallSquare),
                     along = usual_extent(ForRef::from(of.along)).value_or(kSmallSquare);
  if (std::min(across, along) >= kSmallSquare) return true;
  return std::max(across, along) >= kSmallSquare && across >= kFewestRead && along >= kFewestWritten &&
         extent(across < along ? of.across : of.along) && element_bytes(of.along).first >= 4;
}

std::int64_t square_of(const Transposition& of, std::int64_t vector_bytes) {
  std::int64_t least = kSquare;
  for (const OpRef loop : {of.across, of.along})
    least = std::min(least, usual_extent(ForRef::from(loop)).value_or(kSquare));
  if (least <= kSmallestSquare) return kSmallestSquare;
  const bool fits = vector_bytes >= kSquare * 4 && element_bytes(of.along).second < 8;
  return fits && least >= kSquare ? kSquare : kSmallSquare;
}

bool StepTaker::transpose(const Transposition& of, std::int64_t size, std::int64_t squares) {
  return take("transpose-tiles", of.across, NumericsClass::Exact, counts_.tiled,
              [&] { return transpose_tiles(of.across, size, squares, facts_); });
}

void StepTaker::leave_serial(OpRef loop, const std::string& why) {
  const Attribute note = loop.module().context().attributes().string(why);
  if (loop.attr("schedule.serial") == note || !gate_.open()) return;
  gate_.record("schedule.serial", loop.location());
  loop.set_attr("schedule.serial", note);
  ++counts_.serial;
}

void StepTaker::note_strategy(OpRef loop, std::string_view name) {
  if (loop.attr(kStrategyAttribute).valid() || !gate_.open()) return;
  gate_.record(kStrategyAttribute, loop.location());
  loop.set_attr(kStrategyAttribute, loop.module().context().attributes().string(name));
}

void StepTaker::serialize(OpRef loop) {
  if (!gate_.open()) return;
  gate_.record("serialize", loop.location());
  ForRef::from(loop).set_kind(LoopKind::Serial);
}

void StepTaker::collapse_all(OpRef loop) {
  while (take("collapse", loop, NumericsClass::Exact, counts_.collapsed, [&] { return collapse(loop); })) {
  }
  for (const OpRef inner : loops_in(loop.region(0))) collapse_all(inner);
}

void StepTaker::narrow_sums(OpRef loop) {
  if (!admits(numerics_, NumericsClass::Reassociate, true)) return;
  (void)take("narrow", loop, NumericsClass::Reassociate, counts_.narrowed, [&] { return narrow(loop); });
}

void StepTaker::fuse_products() {
  if (!admits(numerics_, NumericsClass::Reassociate, true)) return;
  std::vector<OpRef> loops;
  walk(func_, [&](OpRef op) {
    if (const ForRef loop = ForRef::from(op); loop.valid() && loop.carried_count() > 0) loops.push_back(op);
  });
  for (const OpRef op : loops) {
    const ForRef loop = ForRef::from(op);
    for (std::size_t i = 0; i < loop.carried_count(); ++i) {
      const auto step = carried_step(loop, i);
      if (!step || step->fn != ScalarFn::Add || FmaRef::from(step->op).valid()) continue;
      (void)take("fuse-product", step->op, NumericsClass::Reassociate, counts_.fused,
                 [&] { return fuse_product(step->op, loop.carried(i)); });
    }
  }
}

}  // namespace mlgc::schedule
