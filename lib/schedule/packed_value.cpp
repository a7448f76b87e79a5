// See packed_value.h.
#include "schedule/packed_value.h"

#include <algorithm>

#include "analysis/in_place.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/subscripts.h"

namespace mlgc::schedule {

PackedValue::PackedValue(OpRef value, OpRef nest, bool strips) : nest_(nest), value_(value), strips_(strips) {
  while (value_.parent_op().is(LoopOp::If) && value_.parent_op() != nest_ && value_.parent_op().is_inside(nest_))
    value_ = value_.parent_op();
}

TransformResult PackedValue::check() {
  if (value_.result_count() != 1) return refuse<kScheduleBranch>("load", "it gives several values");
  for (OpRef at = value_.parent_op(); at.valid(); at = at.parent_op()) {
    const ForRef loop = ForRef::from(at);
    const bool inside = at == nest_ || at.is_inside(nest_);
    if (at.is(LoopOp::If) && at.is_inside(nest_))
      return refuse<kScheduleBranch>(value_.name(), "the copy would be made in every iteration");
    if (loop.valid() && inside && loop.kind() == LoopKind::Parallel && scope() != Scope::Arena)
      return refuse<kScheduleSharedScratch>(index_name(loop), "the scratch");
    if (loop.valid() && !inside && loop.kind() == LoopKind::Vector)
      return refuse<kScheduleLaneMemory>(index_name(loop));
  }
  TransformResult plain;
  walk(value_, [&](OpRef op) {
    if (op != value_ && ForRef::from(op).valid()) plain = refuse<kScheduleBranch>("load", "it holds a loop");
  });
  if (!plain) return plain;
  if (auto may = gather(value_); !may) return may;
  if (loops_.empty()) return refuse<kScheduleNothingToDo>("copy", "the value is the same in all iterations");
  if (auto may = check_slice(); !may) return may;
  if (strips_) gather_strips();
  const auto depth = [](const ForRef& loop) {
    std::size_t count = loop.kind() == LoopKind::Vector ? 1U << 16U : 0;
    for (OpRef at = loop.op(); at.valid(); at = at.parent_op()) ++count;
    return count;
  };
  std::sort(loops_.begin(), loops_.end(), [&](const ForRef& a, const ForRef& b) { return depth(a) < depth(b); });
  for (const ForRef& loop : loops_)
    for (std::size_t i = 0; i + loop.carried_count() < loop.op().operand_count(); ++i)
      if (is_inside(loop.op().operand(i)) && !is_strip(loop.op().operand(i)))
        return refuse<kScheduleBoundsVary>(index_name(loop));
  return {};
}

bool PackedValue::is_inside(Value v) const {
  return v.scope() == nest_.region(0) || v.scope().parent_op().is_inside(nest_);
}

TransformResult PackedValue::check_slice() const {
  const std::string_view nest = index_name(ForRef::from(nest_));
  TransformResult may;
  for (const OpRef op : slice_)
    walk(op, [&](OpRef inner) {
      const Value buffer = inner.is(LoopOp::Load) ? LoadRef::from(inner).buffer() : Value();
      if (buffer.valid() && is_written(buffer)) may = refuse<kScheduleBufferWritten>(buffer.name(), nest);
    });
  // In front of the nest it would also be computed where the nest does nothing.
  for (const OpRef op : slice_)
    if (ProgramEnds().may_end(op)) may = refuse<kScheduleMayAbort>("`" + std::string(op.name()) + "`");
  return may;
}

// The op and what it needs of the nest.
TransformResult PackedValue::gather(OpRef op) {
  if (std::find(slice_.begin(), slice_.end(), op) != slice_.end()) return {};
  TransformResult may;
  walk(op, [&](OpRef inner) {
    const bool fine = inner.is(LoopOp::Load) || inner.is(LoopOp::If) || inner.is(LoopOp::Yield) ||
                      inner.is(LoopOp::Guard) || inner.is(LoopOp::Apply) || inner.pure();
    if (!fine) may = refuse<kScheduleUnsupportedOp>(index_name(ForRef::from(nest_)), inner.name(), "copied");
    for (const Value v : inner.operands()) {
      const OpRef home = v.scope().parent_op();
      if (!may || !is_inside(v) || home == op || home.is_inside(op)) continue;
      if (v.is_result()) {
        may = gather(v.definer());
        continue;
      }
      const ForRef loop = ForRef::from(home);
      if (!loop.valid() || v != loop.index())
        may = refuse<kScheduleDependsOnCarried>("the value", loop.valid() ? index_name(loop) : home.name());
      else if (std::none_of(loops_.begin(), loops_.end(), [&](const ForRef& l) { return l.op() == loop.op(); }))
        loops_.push_back(loop);
    }
  });
  slice_.push_back(op);
  return may;
}

// The index of a loop that it depends on.
bool PackedValue::is_strip(Value v) const {
  return strips_ && std::any_of(loops_.begin(), loops_.end(), [&](const ForRef& l) { return l.index() == v; });
}

// The loops whose indices bound those that are there.
void PackedValue::gather_strips() {
  for (std::size_t at = 0; at < loops_.size(); ++at) {
    const OpRef op = loops_[at].op();
    for (std::size_t i = 0; i + loops_[at].carried_count() < op.operand_count(); ++i) {
      const Value v = op.operand(i);
      const ForRef around = ForRef::from(v.scope().parent_op());
      if (is_inside(v) && around.valid() && v == around.index() && around.op() != nest_ && !is_strip(v))
        loops_.push_back(around);
    }
  }
}

bool PackedValue::is_written(Value buffer) const {
  bool found = false;
  const Value memory = underlying_buffer(buffer);
  walk(nest_, [&](OpRef op) { for_each_written(op, [&](Value v) { found = found || v == memory; }); });
  return found;
}

Scope PackedValue::scope() const {
  for (OpRef around = nest_.parent_op(); around.valid(); around = around.parent_op())
    if (ForRef::from(around).valid()) return Scope::Thread;
  return Scope::Arena;
}

// Brackets list their values in the order in which they name them; other indices may come in another one.
static void renumber(OpRef op) {
  for (std::size_t i = 0; i < op.operand_count(); ++i)
    if (ForRef::from(op.operand(i).scope().parent_op()).valid() && !subscripts_of(op).empty() &&
        op.operand(i).type() == op.module().context().types().index())
      return replace_in_subscripts(op, op.operand(i), op.module().context().index().opaque(i), op);
}

void PackedValue::copy_slice(Builder& builder, ValueMap& map) const {
  for (const OpRef op : slice_) walk(clone(op, builder, map), [](OpRef copy) { renumber(copy); });
}

void PackedValue::replace_by(Value other) {
  value().replace_all_uses_with(other);
  for (std::size_t i = slice_.size(); i-- > 0;)
    if (slice_[i].results_unused()) slice_[i].erase();
}

}  // namespace mlgc::schedule
