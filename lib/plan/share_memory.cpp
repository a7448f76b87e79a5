// See plan.h. A launch that reads the last of one buffer and writes the first of another is where memory is handed on.
#include <unordered_map>
#include <vector>

#include "ops/loop_ops.h"
#include "plan/plan.h"

namespace mlgc {
namespace {

class Sharing {
 public:
  Sharing(OpRef driver, InPlaceKernels& kernels, RewriteGate& gate)
      : context_(driver.module().context()),
        kernels_(kernels),
        gate_(gate),
        memory_(driver),
        results_(result_arguments(driver)) {
    for (std::size_t step = 0; step < memory_.step_count(); ++step) {
      const OpRef op = memory_.op_at(step);
      if (op.is("alloc")) groups_[memory_of(op.result()).id()].push_back(op.result());
      if (!op.is("data")) continue;
      if (const Value memory = written_over(op); memory.valid()) groups_[memory.id()].push_back(op.result());
    }
  }

  std::uint64_t run() {
    std::uint64_t shared = 0;
    for (std::size_t step = 0; step < memory_.step_count(); ++step)
      if (memory_.op_at(step).is("launch")) shared += hand_on(memory_.op_at(step), step);
    return shared;
  }

 private:
  std::uint64_t hand_on(OpRef launch, std::size_t step) {
    const OpRef callee = launched(launch);
    const std::vector<bool> writes = written_arguments(callee);
    std::uint64_t shared = 0;
    for (std::size_t j = 0; j < writes.size(); ++j) {
      if (!writes[j]) continue;
      const Value written = underlying_buffer(launch.operand(j));
      const auto begins = memory_.life_of(written);
      if (!begins || begins->first != step || !may_be_written(written)) continue;
      for (std::size_t i = 0; i < writes.size(); ++i) {
        const Value read = underlying_buffer(launch.operand(i));
        if (writes[i] || !is_planned(read) || memory_of(read) == memory_of(written)) continue;
        const auto ends = memory_.life_of(read);
        if (!ends || ends->last != step || !fit(read, written)) continue;
        if (!take_over(read, written, launch)) continue;
        ++shared;
        break;
      }
    }
    return shared;
  }

  [[nodiscard]] bool is_planned(Value v) const { return v.is_result() && v.definer().is("alloc"); }
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

  // The buffers in the memory of `v`, that one included.
  [[nodiscard]] std::vector<Value> group(Value v) const {
    const Value memory = memory_of(v);
    const auto found = groups_.find(memory.id());
    std::vector<Value> all = found == groups_.end() ? std::vector<Value>() : found->second;
    if (!is_planned(memory)) all.push_back(memory);
    return all;
  }

  // Of the two memories, the one that `read` lies in goes on, but into that of an argument.
  bool take_over(Value read, Value written, OpRef launch) {
    const Value old = memory_of(read), fresh = memory_of(written);
    const bool into_argument = !is_planned(fresh);
    if (into_argument && !is_planned(old)) return false;
    const Value target = into_argument ? fresh : old;
    // What moves is seen from the region of what it moves into.
    const std::vector<Value> movers = group(into_argument ? old : fresh), stays = group(target);
    for (const Value a : movers) {
      if (a.scope() != target.scope() && !is_inside(a, target.scope())) return false;
      for (const Value b : stays)
        if (both_alive(memory_, a, b, kernels_).valid()) return false;
    }
    if (!gate_.may_rewrite("share-memory", launch.location())) return false;
    for (const Value a : movers) {
      const Value memory[] = {target};
      a.definer().set_operands(memory);
      groups_[target.id()].push_back(a);
    }
    groups_.erase((into_argument ? old : fresh).id());
    return true;
  }

  [[nodiscard]] static bool is_inside(Value v, RegionRef region) { return v.definer().is_inside(region.parent_op()); }

  Context& context_;
  InPlaceKernels& kernels_;
  RewriteGate& gate_;
  DriverMemory memory_;
  ResultArguments results_;
  std::unordered_map<ValueId, std::vector<Value>>
      groups_;  // by the memory that they lie in; states written in place too
};

}  // namespace

std::uint64_t share_memory(OpRef driver, InPlaceKernels& kernels, RewriteGate& gate) {
  return Sharing(driver, kernels, gate).run();
}

}  // namespace mlgc
