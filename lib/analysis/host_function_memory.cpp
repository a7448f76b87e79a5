// See host_function_memory.h.
#include "analysis/host_function_memory.h"

#include <algorithm>
#include <functional>

#include "ir/function.h"
#include "ir/walk.h"
#include "loopir/buffers.h"
#include "loopir/functions.h"
#include "loopir/loop_ops.h"

namespace mlgc {

HostFunctionMemory::HostFunctionMemory(OpRef host_function) : is_result_(result_arguments(host_function).is_result) {
  const std::function<void(RegionRef)> number = [&](RegionRef region) {
    for (const OpRef op : region.ops()) {
      const std::size_t first = ops_.size();
      ops_.push_back(op);
      for (const RegionRef inner : op.regions()) number(inner);
      spans_[op.id()] = {first, ops_.size() - 1};
    }
  };
  number(host_function.region(0));
  const Context& context = host_function.module().context();
  std::unordered_map<std::string_view, Value> in_place;
  for (const StringId state : context.attributes().as_string_list(host_function.attr("in_place")))
    if (const Value value = new_state(host_function, state); value.valid())
      in_place.emplace(context.strings().text(state), value);
  for (const OpRef op : ops_) {
    const auto data = DataRef::from(op);
    if (!data.valid()) continue;
    const auto value = in_place.find(data.name());
    if (value != in_place.end()) overwritten_.emplace(op.result().id(), value->second);
  }
}

std::optional<Life> HostFunctionMemory::life_of(Value buffer) const {
  const RegionRef scope = buffer.scope();
  std::optional<Life> life;
  for_each_access(buffer, [&](const Use& use) {
    OpRef at = use.owner();
    while (at.parent() != scope) at = at.parent_op();
    const Life span = spans_.at(at.id());
    life = life ? Life{std::min(life->first, span.first), std::max(life->last, span.last)} : span;
  });
  if (!life) return life;
  if (buffer.is_argument()) {
    if (is_result_[buffer.number()]) life->last = ops_.size() - 1;
  } else if (overwritten_.contains(buffer.id())) {
    life->first = 0;
  }
  return life;
}

std::vector<std::vector<Value>> HostFunctionMemory::shared() const {
  std::vector<std::vector<Value>> groups;
  std::unordered_map<ValueId, std::size_t> numbers;
  const auto add = [&](Value memory, Value member) {
    const auto [at, fresh] = numbers.try_emplace(memory.id(), groups.size());
    if (fresh) groups.push_back({memory});
    groups[at->second].push_back(member);
  };
  for (const OpRef op : ops_) {
    if (op.is(LoopOp::Alloc) && op.operand_count() == 1) add(memory_of(op.result()), op.result());
    if (!op.is(LoopOp::Data)) continue;
    if (const auto value = overwritten_.find(op.result().id()); value != overwritten_.end())
      add(value->second, op.result());
  }
  return groups;
}

}  // namespace mlgc
