// See plan_transforms.h. A launch that reads the last of one buffer and writes the first of another is where memory is
// handed on.
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"
#include "memory/plan_transforms.h"

namespace mlgc {
namespace {

class Sharing {
 public:
  Sharing(OpRef host_function, InPlaceKernels& kernels, RewriteGate& gate)
      : context_(host_function.module().context()),
        kernels_(kernels),
        gate_(gate),
        memory_(host_function),
        states_(memory_),
        results_(result_arguments(host_function)) {
    for (const StringId state : context_.attributes().as_string_list(host_function.attr("in_place")))
      in_place_.insert(new_state(host_function, state).id());
    for (const Value v : host_function.region(0).arguments()) place(v, v);
    for (std::size_t step = 0; step < memory_.step_count(); ++step) {
      const OpRef op = memory_.op_at(step);
      if (op.is(LoopOp::Alloc)) place(op.result(), memory_of(op.result()));
      if (!op.is(LoopOp::Data)) continue;
      if (const Value memory = written_over(op); memory.valid()) place(op.result(), memory);
    }
  }

  std::uint64_t run() {
    std::uint64_t shared = 0;
    for (std::size_t step = 0; step < memory_.step_count(); ++step)
      if (memory_.op_at(step).is(LoopOp::Launch)) shared += hand_on(memory_.op_at(step), step);
    return shared;
  }

 private:
  std::uint64_t hand_on(OpRef launch, std::size_t step) {
    const OpRef callee = LaunchRef::from(launch).callee();
    const std::vector<bool> writes = written_arguments(callee);
    std::uint64_t shared = 0;
    for (std::size_t j = 0; j < writes.size(); ++j) {
      if (!writes[j]) continue;
      const Value written = underlying_buffer(launch.operand(j));
      const auto begins = lives_.find(written.id());
      if (begins == lives_.end() || begins->second.first != step || !may_be_written(written)) continue;
      for (std::size_t i = 0; i < writes.size(); ++i) {
        const Value read = underlying_buffer(launch.operand(i));
        if (writes[i] || !is_planned(read) || memory_of(read) == memory_of(written)) continue;
        const auto ends = lives_.find(read.id());
        if (ends == lives_.end() || ends->second.last != step || !fit(read, written)) continue;
        if (!take_over(read, written, launch)) continue;
        ++shared;
        break;
      }
    }
    return shared;
  }

  [[nodiscard]] bool is_planned(Value v) const { return v.is_result() && v.definer().is(LoopOp::Alloc); }
  [[nodiscard]] bool may_be_written(Value v) const {
    return is_planned(v) ? v.definer().operand_count() == 0 : v.is_argument() && results_.is_result[v.number()];
  }

  // As many elements, of one dtype; so in all of one memory.
  [[nodiscard]] bool fit(Value a, Value b) const {
    const TypePool& types = context_.types();
    if (a.dtype() != b.dtype() || types.layout(a.type()) != StringId() || types.layout(b.type()) != StringId())
      return false;
    const IndexExpr count = element_count(a);
    return count == element_count(b) && count != context_.index().overflow();
  }

  // The buffers in one memory, by the program point at which their live range begins.
  using Group = std::map<std::size_t, LiveBuffer>;

  void place(Value buffer, Value memory) {
    Group& group = groups_[memory.id()];
    const auto life = memory_.life_of(buffer);
    if (!life) return;
    lives_.emplace(buffer.id(), *life);
    group.emplace(life->first, LiveBuffer{buffer, *life});
  }

  // Of a group only the neighbours can meet another buffer, since no two of its own do.
  bool has_room(const Group& group, const LiveBuffer& buffer) {
    const auto next = group.lower_bound(buffer.life.first);
    const auto free = [&](Group::const_iterator at) {
      return !both_alive(memory_, at->second, buffer, kernels_).valid();
    };
    return (next == group.end() || free(next)) && (next == group.begin() || free(std::prev(next)));
  }

  // Of the two memories, the one that `read` lies in goes on, but into that of an argument.
  bool take_over(Value read, Value written, OpRef launch) {
    const Value old = memory_of(read), fresh = memory_of(written);
    const bool into_argument = !is_planned(fresh);
    if (into_argument && !is_planned(old)) return false;
    const Value target = into_argument ? fresh : old;
    // What moves is seen from the region of what it moves into.
    Group& movers = groups_[(into_argument ? old : fresh).id()];
    Group& stays = groups_[target.id()];
    // A state keeps its value when the program ends with an error.
    if (in_place_.contains(target.id()) && !movers.empty() && states_.fails_from(movers.begin()->first).valid())
      return false;
    for (const auto& [first, mover] : movers)
      if (!has_room(stays, mover) ||
          (mover.buffer.scope() != target.scope() && !is_inside(mover.buffer, target.scope())))
        return false;
    if (!gate_.may_rewrite("share-memory", launch.location())) return false;
    for (const auto& [first, mover] : movers) {
      const Value memory[] = {target};
      mover.buffer.definer().set_operands(memory);
    }
    stays.merge(movers);
    return true;
  }

  [[nodiscard]] static bool is_inside(Value v, RegionRef region) { return v.definer().is_inside(region.parent_op()); }

  Context& context_;
  InPlaceKernels& kernels_;
  RewriteGate& gate_;
  HostFunctionMemory memory_;
  StateWrites states_;
  ResultArguments results_;
  std::unordered_set<ValueId> in_place_;  // new values that are written over the old ones
  std::unordered_map<ValueId, Life> lives_;
  std::unordered_map<ValueId, Group> groups_;  // by the memory that they lie in; states written in place too
};

}  // namespace

std::uint64_t share_memory(OpRef host_function, InPlaceKernels& kernels, RewriteGate& gate) {
  return Sharing(host_function, kernels, gate).run();
}

}  // namespace mlgc
