// See plan_transforms.h. What loops of a host function carry is copied each time round, and results of loops are copied
// where they belong: that is how host functions are made, since a value then has one buffer.
#include <algorithm>
#include <optional>
#include <vector>

#include "ir/builder.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "memory/copy_kernel.h"
#include "memory/plan_transforms.h"

namespace mlgc {
namespace {

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
    if (fresh) known->second = is_copy_kernel(kernel);
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
