// See plan.h.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "ir/function.h"
#include "loopir/buffers.h"
#include "plan/plan.h"

namespace mlgc {
namespace {

void set_states(OpRef driver, const std::vector<StringId>& names) {
  if (names.empty())
    driver.remove_attr("in_place");
  else
    driver.set_attr("in_place", driver.module().context().attributes().string_list(names));
}

}  // namespace

// The text says it of all states, and keeps those of which it may: no state's memory is another one's.
std::uint64_t write_states_in_place(OpRef driver, InPlaceKernels& kernels, RewriteGate& gate) {
  const auto given = driver.module().context().attributes().as_string_list(driver.attr("in_place"));
  std::vector<StringId> names(given.begin(), given.end()), tried;
  for (const UpdateTarget& update : FuncRef(driver).updates())
    if (!update.argument && std::find(given.begin(), given.end(), update.symbol) == given.end())
      tried.push_back(update.symbol);
  if (tried.empty() || !gate.open()) return 0;
  std::vector<StringId> all = names;
  all.insert(all.end(), tried.begin(), tried.end());
  set_states(driver, all);
  const HostFunctionMemory memory(driver);
  const StateWrites writes(memory);
  std::unordered_set<ValueId> overlapping;  // by the new value
  for (const std::vector<Value>& group : memory.shared())
    if (!overlaps(memory, group, kernels).empty()) overlapping.insert(group[0].id());
  std::uint64_t count = 0;
  for (const StringId state : tried) {
    const Value value = new_state(driver, state);
    if (!gate.open() || overlapping.contains(value.id()) || writes.fails_behind(value).valid()) continue;
    gate.record("state-in-place", driver.location());
    names.push_back(state);
    ++count;
  }
  set_states(driver, names);
  return count;
}

}  // namespace mlgc
