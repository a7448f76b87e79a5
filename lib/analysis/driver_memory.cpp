// See driver_memory.h.
#include "analysis/driver_memory.h"

#include <algorithm>
#include <functional>

#include "ir/function.h"
#include "ir/walk.h"
#include "ops/loop_ops.h"

namespace mlgc {

DriverMemory::DriverMemory(OpRef driver) : driver_(driver) {
  const std::function<void(RegionRef)> number = [&](RegionRef region) {
    for (const OpRef op : region.ops()) {
      const std::size_t first = ops_.size();
      ops_.push_back(op);
      for (const RegionRef inner : op.regions()) number(inner);
      spans_[op.id()] = {first, ops_.size() - 1};
    }
  };
  number(driver.region(0));
}

std::optional<Life> DriverMemory::life_of(Value buffer) const {
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
    const ResultArguments results = result_arguments(driver_);
    if (results.is_result[buffer.number()]) life->last = ops_.size() - 1;
  } else if (buffer.definer().is("data") && written_over(buffer.definer()).valid()) {
    life->first = 0;
  }
  return life;
}

std::vector<std::vector<Value>> DriverMemory::shared() const {
  std::vector<std::vector<Value>> groups;
  std::unordered_map<ValueId, std::size_t> numbers;
  const auto add = [&](Value memory, Value member) {
    const auto [at, fresh] = numbers.try_emplace(memory.id(), groups.size());
    if (fresh) groups.push_back({memory});
    groups[at->second].push_back(member);
  };
  for (const OpRef op : ops_) {
    if (op.is("alloc") && op.operand_count() == 1) add(memory_of(op.result()), op.result());
    if (!op.is("data")) continue;
    if (const Value memory = written_over(op); memory.valid()) add(memory, op.result());
  }
  return groups;
}

}  // namespace mlgc
