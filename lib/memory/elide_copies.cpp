// See plan_transforms.h. What loops of a host function carry is copied each time round, and results of loops are copied
// where they belong: that is how host functions are made, since a value then has one buffer.
#include <algorithm>
#include <optional>
#include <vector>

#include "ir/builder.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "loopir/loop_role.h"
#include "loopir/subscripts.h"
#include "memory/plan_transforms.h"

namespace mlgc {
namespace {

// The value that stands alone in brackets of the op; an invalid handle for another expression.
Value alone(OpRef op, IndexExpr e) {
  const IndexPool& pool = op.module().context().index();
  const auto atom = pool.as_atom(e);
  return atom && pool.atom(*atom).kind == AtomKind::Opaque ? op.operand(pool.atom(*atom).number) : Value();
}

// A loop function that stores every element of its first argument at the same place of its second, and nothing else.
class CopyKernel {
 public:
  explicit CopyKernel(OpRef kernel) : kernel_(kernel), pool_(kernel.module().context().index()) {}

  [[nodiscard]] bool is_copy() {
    const RegionRef body = kernel_.region(0);
    if (body.argument_count() != 2 || !find_store(body) || !store_.valid()) return false;
    const auto store = StoreRef::from(store_);
    const OpRef load = store.value().definer();
    if (loaded_buffer(load) != body.argument(0) || stored_buffer(store_) != body.argument(1)) return false;
    const auto from = LoadRef::from(load).buffer().dims(), to = store.buffer().dims();
    if (!std::equal(from.begin(), from.end(), to.begin(), to.end())) return false;
    const auto at = subscripts_of(store_), read = subscripts_of(load);
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const Value index = alone(store_, at[axis]);
      const bool first = at[axis] == pool_.constant(0) && read[axis] == at[axis] && to[axis] == pool_.constant(1);
      if (!first && (!index.valid() || index != alone(load, read[axis]) || !runs_over(index, to[axis]))) return false;
    }
    return loops_ == 0;
  }

 private:
  // The only store; around it are loops and nothing else.
  bool find_store(RegionRef region) {
    for (const OpRef op : region.ops()) {
      if (op.is(LoopOp::Store)) {
        if (store_.valid()) return false;
        store_ = op;
      } else if (const ForRef loop = ForRef::from(op); loop.valid()) {
        if (loop.carried_count() > 0) return false;
        ++loops_;
        if (!find_store(loop.body())) return false;
      } else if (op.region_count() > 0 || !only_computes(op)) {
        return false;
      }
    }
    return true;
  }

  // The index is each number below the size once: by one loop, or by tiles of one loop.
  bool runs_over(Value index, IndexExpr size) {
    if (!index.is_argument()) return false;
    const ForRef loop = ForRef::from(index.argument_of().parent_op());
    if (!loop.valid() || loop.index() != index) return false;
    --loops_;
    if (loop.first() == pool_.constant(0) && loop.last() == size) return true;
    if (pool_.term_count(loop.first()) != 1) return false;
    const Term tile = pool_.term(loop.first(), 0);
    const std::int64_t width = tile.coefficient;
    if (tile.factors.size() != 1 || width < 1) return false;
    const Value number = alone(loop.op(), pool_.from_atom(tile.factors[0]));
    if (!number.valid() || !number.is_argument()) return false;
    const ForRef tiles = ForRef::from(number.argument_of().parent_op());
    if (!tiles.valid() || tiles.index() != number) return false;
    --loops_;
    const IndexExpr full = pool_.add(loop.first(), pool_.constant(width));
    return tiles.first() == pool_.constant(0) && tiles.last() == pool_.ceildiv(size, pool_.constant(width)) &&
           loop.last() == pool_.min(full, size);
  }

  OpRef kernel_;
  IndexPool& pool_;
  OpRef store_;
  int loops_ = 0;  // that no subscript accounts for
};

class CopyElision {
 public:
  CopyElision(OpRef host_function, InPlaceKernels& kernels, RewriteGate& gate)
      : context_(host_function.module().context()),
        kernels_(kernels),
        gate_(gate),
        memory_(host_function),
        results_(result_arguments(host_function)),
        has_late_sizes_(!late_sizes(host_function).empty()) {}

  std::uint64_t run() {
    std::uint64_t elided = 0;
    // Backwards: a buffer that is copied to a result takes along what is copied to it.
    for (std::size_t step = memory_.step_count(); step-- > 0;) {
      const OpRef op = memory_.op_at(step);
      if (op.is(LoopOp::Launch) && is_copy(LaunchRef::from(op).callee()) && elide(op)) ++elided;
    }
    return elided;
  }

 private:
  bool is_copy(OpRef kernel) {
    const auto [known, fresh] = copies_.try_emplace(kernel.id(), false);
    if (fresh) known->second = CopyKernel(kernel).is_copy();
    return known->second;
  }

  // The op of the region that the op stands in; an invalid handle for what is outside of it.
  [[nodiscard]] static OpRef within(OpRef op, RegionRef region) {
    while (op.valid() && op.parent() != region) op = op.parent().valid() ? op.parent_op() : OpRef();
    return op;
  }

  // Nothing lies in its memory but itself.
  [[nodiscard]] static bool is_alone(Value buffer) {
    for (const Use& use : buffer.uses())
      if (use.owner().is(LoopOp::Alloc)) return false;
    return memory_of(buffer) == buffer;
  }

  bool elide(OpRef copy) {
    const Value from = underlying_buffer(copy.operand(0)), to = underlying_buffer(copy.operand(1));
    if (from == to) {
      if (!gate_.may_rewrite("elide-copy", copy.location())) return false;
      erase(copy);
      return true;
    }
    const bool made = from.is_result() && from.definer().is(LoopOp::Alloc) && from.scope() == copy.parent();
    const bool writable = to.is_result() ? to.definer().is(LoopOp::Alloc) : results_.is_result[to.number()];
    if (!made || !writable || !is_alone(from) || !is_alone(to)) return false;
    // Equal sizes may become known at different times.
    if (has_late_sizes_ && element_count(from) != element_count(to)) return false;
    const auto life = memory_.life_of(from);
    const std::size_t at = memory_.steps_of(copy).first;
    if (!life || life->last != at || life->first == at) return false;
    const OpRef writer = within(memory_.op_at(life->first), copy.parent());
    if (!is_free(to, from, writer, copy) || !gate_.may_rewrite("elide-copy", copy.location())) return false;
    replace(from, to);
    erase(copy);
    return true;
  }

  // With views that have no other use.
  static void erase(OpRef copy) {
    const std::vector<Value> given(copy.operands().begin(), copy.operands().end());
    copy.erase();
    for (Value v : given)
      for (auto view = BufferViewRef::from(v.definer()); view.valid() && !v.has_uses();
           view = BufferViewRef::from(v.definer())) {
        v = view.of();
        view.op().erase();
      }
  }

  // Between the write of the source and the copy no op accesses the target, but for the op that writes the source:
  // it may read the target where it works in place.
  bool is_free(Value target, Value source, OpRef writer, OpRef copy) {
    bool free = true;
    for_each_access(target, [&](const Use& use) {
      const OpRef op = within(use.owner(), copy.parent());
      if (!op.valid() || op == copy) return;
      const std::size_t first = memory_.steps_of(op).first;
      if (op == writer)
        free = free && op.is(LoopOp::Launch) && kernels_.admits(op, target, source);
      else if (first > memory_.steps_of(writer).first && first < memory_.steps_of(copy).first)
        free = false;
    });
    return free;
  }

  void replace(Value from, Value to) {
    TypePool& types = context_.types();
    const OpRef alloc = from.definer();
    if (to.is_result()) move_up(to.definer(), within(alloc, to.scope()));
    Value memory = to;
    if (!std::equal(from.dims().begin(), from.dims().end(), to.dims().begin(), to.dims().end())) {
      Builder builder(alloc.module());
      builder.set_before(alloc);
      builder.set_location(alloc.location());
      const Type type = types.buffer(from.dtype(), from.dims(), types.scope(to.type()));
      memory = builder.create(LoopOp::BufferView, {to}, {type}).result();
    }
    set_scope(from, types.scope(to.type()));
    const bool named = !memory.name().empty();
    const StringId name = memory.name_id();
    from.replace_all_uses_with(memory);
    if (named) memory.set_name(name);
    alloc.erase();
  }

  // It needs nothing but its sizes, which are known where the source is made.
  static void move_up(OpRef target, OpRef source) {
    for (OpRef op = source; op.valid(); op = op.next())
      if (op == target) return target.move_before(source);
  }

  // Views have the scope of their memory.
  void set_scope(Value buffer, Scope scope) {
    TypePool& types = context_.types();
    for (const Use& use : buffer.uses()) {
      if (!use.owner().is(LoopOp::BufferView)) continue;
      const Value view = use.owner().result();
      view.set_type(types.buffer(view.dtype(), view.dims(), scope));
      set_scope(view, scope);
    }
  }

  Context& context_;
  InPlaceKernels& kernels_;
  RewriteGate& gate_;
  HostFunctionMemory memory_;  // steps; lives are asked for anew
  ResultArguments results_;
  bool has_late_sizes_;
  std::unordered_map<OpId, bool> copies_;
};

}  // namespace

std::uint64_t elide_copies(OpRef host_function, InPlaceKernels& kernels, RewriteGate& gate) {
  return CopyElision(host_function, kernels, gate).run();
}

}  // namespace mlgc
