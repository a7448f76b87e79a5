// pack: what a load gives in the loops inside of a nest is computed in front of it, into scratch in the order of the
// loops.
#include <algorithm>
#include <string>
#include <vector>

#include "analysis/in_place.h"
#include "ir/builder.h"
#include "ir/clone.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/nests.h"
#include "loopir/subscripts.h"
#include "schedule/loop_edit.h"
#include "schedule/steps.h"

namespace mlgc {

using namespace schedule;

namespace {

class Pack {
 public:
  Pack(OpRef load, OpRef nest)
      : module_(load.module()), pool_(load.module().context().index()), nest_(nest), value_(load) {
    // A choice between the element and something else is packed as it is.
    while (value_.parent_op().is(LoopOp::If) && value_.parent_op() != nest_ && value_.parent_op().is_inside(nest_))
      value_ = value_.parent_op();
  }

  // Nothing: it can be done.
  std::string why_not() {
    if (value_.result_count() != 1) return "the branch around the load has other results";
    std::string why;
    for (OpRef at = value_.parent_op(); at.valid(); at = at.parent_op()) {
      const ForRef loop = ForRef::from(at);
      const bool inside = at == nest_ || at.is_inside(nest_);
      if (at.is(LoopOp::If) && at.is_inside(nest_)) return "the load is reached in a branch";
      if (loop.valid() && inside && loop.kind() == LoopKind::Parallel)
        return "iterations on other threads would share the scratch";
      if (loop.valid() && !inside && loop.kind() == LoopKind::Vector) return "each lane would need memory of its own";
    }
    walk(value_, [&](OpRef op) {
      if (op != value_ && ForRef::from(op).valid()) why = "the branch around the load has loops";
    });
    if (why.empty()) why = gather(value_);
    if (why.empty() && loops_.empty()) why = "what it reads is the same all along";
    for (const OpRef op : slice_)
      walk(op, [&](OpRef inner) {
        if (inner.is(LoopOp::Load) && is_written(LoadRef::from(inner).buffer()))
          why = "a buffer that it reads is written in the loop";
      });
    // In front of the nest it would also be computed where the nest does nothing.
    for (const OpRef op : slice_)
      if (ProgramEnds().may_end(op)) why = "it may end the program";
    if (!why.empty()) return why;
    // From the outside, but the axis that lanes run along is the last one.
    const auto depth = [](const ForRef& loop) {
      std::size_t count = loop.kind() == LoopKind::Vector ? 1U << 16U : 0;
      for (OpRef at = loop.op(); at.valid(); at = at.parent_op()) ++count;
      return count;
    };
    std::sort(loops_.begin(), loops_.end(), [&](const ForRef& a, const ForRef& b) { return depth(a) < depth(b); });
    for (const ForRef& loop : loops_) {
      for (std::size_t i = 0; i + loop.carried_count() < loop.op().operand_count(); ++i)
        if (is_inside(loop.op().operand(i))) return "the bounds of a loop inside differ between iterations";
      const auto count = usual_extent(loop);
      const IndexExpr size = count
                                 ? pool_.constant(*count)
                                 : pool_.sub(over_values(loop.op(), loop.last()), over_values(loop.op(), loop.first()));
      bool plain = size != pool_.overflow();
      pool_.for_each_atom(size, [&](AtomId id) { plain = plain && pool_.atom(id).kind != AtomKind::Opaque; });
      if (!plain) return "the number of iterations of a loop inside is no size";
      sizes_.push_back(count ? size : pool_.max(size, pool_.constant(0)));
    }
    return why;
  }

  void run() {
    Builder builder(module_);
    builder.set_before(nest_);
    builder.set_location(value_.location());
    const Value old = value_.result();
    // In front of a nest of its own any thread may read it.
    bool in_loop = false;
    for (OpRef around = nest_.parent_op(); around.valid(); around = around.parent_op())
      in_loop = in_loop || ForRef::from(around).valid();
    const Scope scope = in_loop ? Scope::Thread : Scope::Arena;
    const Type type = module_.context().types().buffer(old.dtype(), sizes_, scope);
    const Value scratch = builder.create(LoopOp::Alloc, {}, {type}).result();
    scratch.set_name("packed");
    ValueMap map;
    std::vector<IndexExpr> to;
    std::vector<OpRef> made;
    for (const ForRef& loop : loops_) {
      made.push_back(loop_like(builder, loop, "_in").op());
      const Value index = ForRef::from(made.back()).index();
      map.set(loop.index(), index);
      to.push_back(place(loop, index));
      builder.set_end(made.back().region(0));
    }
    for (const OpRef op : slice_) walk(clone(op, builder, map), [](OpRef copy) { renumber(copy); });
    store_of(builder, map.find(old), scratch, to);
    for (std::size_t i = made.size(); i-- > 0;) {
      builder.set_end(made[i].region(0));
      builder.create(module_.context().opcode(LoopOp::Yield), {}, {}, {});
    }
    builder.set_before(value_);
    std::vector<IndexExpr> from;
    from.reserve(loops_.size());
    for (const ForRef& loop : loops_) from.push_back(place(loop, loop.index()));
    old.replace_all_uses_with(load_of(builder, scratch, from));
    for (std::size_t i = slice_.size(); i-- > 0;)
      if (slice_[i].results_unused()) slice_[i].erase();
  }

 private:
  [[nodiscard]] bool is_inside(Value v) const {
    return v.scope() == nest_.region(0) || v.scope().parent_op().is_inside(nest_);
  }
  // The op and what it needs of the nest, each after what it needs itself. The reason against it, or nothing.
  std::string gather(OpRef op) {
    if (std::find(slice_.begin(), slice_.end(), op) != slice_.end()) return {};
    std::string why;
    walk(op, [&](OpRef inner) {
      const bool fine = inner.is(LoopOp::Load) || inner.is(LoopOp::If) || inner.is(LoopOp::Yield) ||
                        inner.is(LoopOp::Guard) || inner.pure();
      if (!fine) why = "`" + std::string(inner.name()) + "` has a part in it";
      for (const Value v : inner.operands()) {
        const OpRef home = v.scope().parent_op();
        if (!why.empty() || !is_inside(v) || home == op || home.is_inside(op)) continue;
        if (v.is_result()) {
          why = gather(v.definer());
          continue;
        }
        const ForRef loop = ForRef::from(home);
        if (!loop.valid() || v != loop.index())
          why = "it depends on what a loop carries";
        else if (std::none_of(loops_.begin(), loops_.end(), [&](const ForRef& l) { return l.op() == loop.op(); }))
          loops_.push_back(loop);
      }
    });
    slice_.push_back(op);
    return why;
  }
  [[nodiscard]] bool is_written(Value buffer) const {
    bool found = false;
    const Value memory = underlying_buffer(buffer);
    walk(nest_, [&](OpRef op) { for_each_written(op, [&](Value v) { found = found || v == memory; }); });
    return found;
  }

  // Brackets list their values in the order in which they name them; other indices may come in another one.
  static void renumber(OpRef op) {
    for (std::size_t i = 0; i < op.operand_count(); ++i)
      if (ForRef::from(op.operand(i).scope().parent_op()).valid() && !subscripts_of(op).empty() &&
          op.operand(i).type() == op.module().context().types().index())
        return replace_in_subscripts(op, op.operand(i), op.module().context().index().opaque(i), op);
  }

  IndexExpr place(ForRef loop, Value index) { return pool_.sub(of_value(index), over_values(loop.op(), loop.first())); }
  Module& module_;
  IndexPool& pool_;
  OpRef nest_, value_;
  std::vector<OpRef> slice_;
  std::vector<ForRef> loops_;
  std::vector<IndexExpr> sizes_;
};

}  // namespace

StepResult pack(OpRef load, OpRef nest) {
  MLGC_ASSERT(load.is(LoopOp::Load), "pack: no load");
  MLGC_ASSERT(ForRef::from(nest).valid(), "pack: no loop");
  if (!load.is_inside(nest)) return refuse("the load does not stand in the loop");
  Pack step(load, nest);
  if (std::string why = step.why_not(); !why.empty()) return refuse(std::move(why));
  step.run();
  return {};
}

}  // namespace mlgc
