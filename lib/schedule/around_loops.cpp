// See around_loops.h.
#include "schedule/around_loops.h"

#include <algorithm>
#include <string>

#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_role.h"
#include "schedule/loop_edit.h"

namespace mlgc::schedule {

AroundLoops::AroundLoops(OpRef loop) : loop_(loop) {
  for (OpRef at = loop.parent_op(); at.valid() && !at.is(LoopOp::Func); at = at.parent_op()) loops_.emplace_back(at);
  std::reverse(loops_.begin(), loops_.end());
}

TransformResult AroundLoops::check() {
  for (const OpRef op : loops_) {
    const ForRef around = ForRef::from(op);
    if (!around.valid())
      return refuse<kScheduleOuterLoops>(index_name(ForRef::from(loop_)), "`" + std::string(op.name()) + "`",
                                         "only loops around it");
    if (auto may = expect_plain(around); !may) return may;
    if (auto may = expect_no_carried(around); !may) return may;
    IndexPool& pool = op.module().context().index();
    const IndexExpr extent = pool.sub(over_values(op, around.last()), over_values(op, around.first()));
    if (!is_size(pool, extent)) return refuse<kScheduleTripCountNotASize>(index_name(around));
    extents_.push_back(extent);
  }
  return {};
}

std::vector<IndexExpr> AroundLoops::place() const {
  std::vector<IndexExpr> out;
  for (const OpRef op : loops_) {
    const ForRef like = ForRef::from(op);
    out.push_back(op.module().context().index().sub(of_value(like.index()), over_values(op, like.first())));
  }
  return out;
}

TransformResult AroundLoops::gather(OpRef op, OpRef within) {
  TransformResult may;
  walk(op, [&](OpRef inner) {
    for (const Value v : inner.operands()) {
      const OpRef from = v.is_result() ? v.definer() : OpRef();
      const bool own = !from.valid() || from == op || from.is_inside(op) || !from.is_inside(outermost());
      const bool together = from.valid() && within.valid() && from.is_inside(within);
      if (!may || own || together || std::find(needed_.begin(), needed_.end(), from) != needed_.end()) continue;
      if (from.region_count() > 0 || !(from.pure() || from.is(LoopOp::Load)))
        may = refuse<kScheduleUnsupportedOp>(index_name(ForRef::from(outermost())), from.name(),
                                             "moved in front of the nest");
      else if (may = gather(from, within); may)
        needed_.push_back(from);
    }
  });
  return may;
}

TransformResult AroundLoops::reads_before(OpRef op) const {
  TransformResult may;
  const auto look = [&](OpRef read) {
    if (read.is(LoopOp::Load) && is_written(LoadRef::from(read).buffer()))
      may = refuse<kScheduleBufferWritten>(LoadRef::from(read).buffer().name(), index_name(ForRef::from(outermost())));
  };
  for (const OpRef of : needed_) look(of);
  walk(op, look);
  return may;
}

bool AroundLoops::is_written(Value buffer) const {
  bool found = false;
  const Value memory = underlying_buffer(buffer);
  walk(outermost(), [&](OpRef op) { for_each_written(op, [&](Value v) { found = found || v == memory; }); });
  return found;
}

AroundLoops::Copy AroundLoops::copy(Builder& builder, std::string_view suffix, ValueMap& map) const {
  Copy out;
  IndexPool& pool = builder.context().index();
  for (const OpRef op : loops_) {
    const ForRef like = ForRef::from(op), made = loop_like(builder, like, suffix, map);
    if (like.kind() == LoopKind::Parallel) ForRef::from(made.op()).set_kind(LoopKind::Parallel);
    map.set(like.index(), made.index());
    out.place.push_back(pool.sub(of_value(made.index()), over_values(made.op(), made.first())));
    out.regions.push_back(made.body());
    builder.set_end(made.body());
    for (const OpRef needed : needed_)
      if (needed.parent_op() == op) out.needed.push_back(clone(needed, builder, map));
  }
  return out;
}

void AroundLoops::end(Builder& builder, const Copy& copy) {
  for (std::size_t r = copy.regions.size(); r-- > 0;) {
    builder.set_end(copy.regions[r]);
    builder.create(builder.context().opcode(LoopOp::Yield), {}, {}, {});
  }
}

void AroundLoops::erase_unused(std::vector<OpRef> ops) {
  for (std::size_t i = ops.size(); i-- > 0;)
    if (ops[i].results_unused()) ops[i].erase();
}

}  // namespace mlgc::schedule
