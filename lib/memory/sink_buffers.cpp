// See plan_transforms.h.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/walk.h"
#include "loopir/loop_role.h"
#include "memory/plan_transforms.h"

namespace mlgc {

bool sink_buffers(OpRef host_function) {
  const HostFunctionMemory memory(host_function);
  std::vector<OpRef> defined;
  for (std::size_t step = 0; step < memory.step_count(); ++step)
    if (const OpRef op = memory.op_at(step); makes_buffer(op)) defined.push_back(op);
  // The step before which each is needed. What is defined with another one stands after it, and was looked at.
  std::unordered_map<OpId, std::size_t> needed;
  for (std::size_t i = defined.size(); i-- > 0;) {
    std::size_t first = memory.step_count();
    for (const Use& use : defined[i].result().uses()) {
      OpRef at = use.owner();
      while (at.parent() != defined[i].parent()) at = at.parent_op();
      const auto moves = needed.find(at.id());
      first = std::min(first, moves != needed.end() ? moves->second : memory.steps_of(at).first);
    }
    needed.emplace(defined[i].id(), first);
  }
  // What is needed before one step keeps its order: a view stands after its buffer.
  std::unordered_set<OpId> passed;
  bool moved = false;
  for (const OpRef op : defined) {
    passed.insert(op.id());
    const std::size_t step = needed.at(op.id());
    // What has no use goes last, where all sizes are known.
    const OpRef target = step == memory.step_count() ? op.parent().terminator() : memory.op_at(step);
    const auto stays_behind = [&](OpRef other) {
      const auto found = needed.find(other.id());
      return found != needed.end() && found->second == step && !passed.contains(other.id());
    };
    OpRef next = op.next();
    while (next.valid() && next != target && stays_behind(next)) next = next.next();
    if (next == target) continue;
    op.move_before(target);
    moved = true;
  }
  return moved;
}

}  // namespace mlgc
