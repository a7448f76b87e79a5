// See plan.h.
#include <algorithm>
#include <vector>

#include "ir/function.h"
#include "ops/loop_ops.h"
#include "plan/plan.h"

namespace mlgc {
namespace {

// What the driver says of states in place may stand.
bool is_sound(OpRef driver, StringId state, InPlaceKernels& kernels) {
  const DriverMemory memory(driver);
  const Value value = new_state(driver, state);
  if (fails_behind_write(memory, value).valid()) return false;
  for (const std::vector<Value>& group : memory.shared()) {
    if (group[0] != value) continue;
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = i + 1; j < group.size(); ++j)
        if (both_alive(memory, group[i], group[j], kernels).valid()) return false;
  }
  return true;
}

}  // namespace

std::uint64_t write_states_in_place(OpRef driver, InPlaceKernels& kernels, RewriteGate& gate) {
  AttributePool& attributes = driver.module().context().attributes();
  std::uint64_t count = 0;
  for (const UpdateTarget& update : FuncRef(driver).updates()) {
    if (update.argument || !gate.open()) continue;
    const Attribute before = driver.attr("in_place");
    const auto given = attributes.as_string_list(before);
    std::vector<StringId> names(given.begin(), given.end());
    if (std::find(names.begin(), names.end(), update.symbol) != names.end()) continue;
    names.push_back(update.symbol);
    driver.set_attr("in_place", attributes.string_list(names));
    if (is_sound(driver, update.symbol, kernels)) {
      gate.record("state-in-place", driver.location());
      ++count;
    } else if (before.valid()) {
      driver.set_attr("in_place", before);
    } else {
      driver.remove_attr("in_place");
    }
  }
  return count;
}

}  // namespace mlgc
