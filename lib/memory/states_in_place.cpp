// See plan_transforms.h.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "ir/function.h"
#include "loopir/buffers.h"
#include "memory/plan_transforms.h"

namespace mlgc {
namespace {

void set_states(OpRef host_function, const std::vector<StringId>& names) {
  if (names.empty())
    host_function.remove_attr("in_place");
  else
    host_function.set_attr("in_place", host_function.module().context().attributes().string_list(names));
}

}  // namespace

// The text says it of all states, and keeps those of which it may: no state's memory is another one's.
std::uint64_t write_states_in_place(OpRef host_function, InPlaceKernels& kernels, RewriteGate& gate) {
  const auto given = host_function.module().context().attributes().as_string_list(host_function.attr("in_place"));
  std::vector<StringId> names(given.begin(), given.end()), tried;
  for (const UpdateTarget& update : FuncRef(host_function).updates())
    if (!update.argument && std::find(given.begin(), given.end(), update.symbol) == given.end())
      tried.push_back(update.symbol);
  if (tried.empty() || !gate.open()) return 0;
  std::vector<StringId> all = names;
  all.insert(all.end(), tried.begin(), tried.end());
  set_states(host_function, all);
  const HostFunctionMemory memory(host_function);
  const StateWrites writes(memory);
  std::unordered_set<ValueId> overlapping;  // by the new value
  for (const std::vector<Value>& group : memory.shared())
    if (!overlaps(memory, group, kernels).empty()) overlapping.insert(group[0].id());
  std::uint64_t count = 0;
  for (const StringId state : tried) {
    const Value value = new_state(host_function, state);
    if (!gate.open() || overlapping.contains(value.id()) || writes.fails_behind(value).valid()) continue;
    gate.record("state-in-place", host_function.location());
    names.push_back(state);
    ++count;
  }
  set_states(host_function, names);
  return count;
}

}  // namespace mlgc
