#include "codegen/emitter/device_checks.h"

#include <algorithm>
#include <unordered_set>

#include "loopir/functions.h"

namespace mlgc::codegen {

bool DeviceChecks::contains(OpRef op) const {
  if (!is_in_host_function() || !op.is(LoopOp::Check) || op.parent() != writer_.func.region(0)) return false;
  const std::vector<OpRef> computed = computed_for(op);
  if (std::none_of(computed.begin(), computed.end(), [](OpRef of) { return of.is(LoopOp::Load); })) return false;
  for (OpRef between = computed.front(); between != op; between = between.next())
    if (!between.pure() && !between.is(LoopOp::Load) && !between.is(LoopOp::Check)) return false;
  for (OpRef after = op.next(); after.valid(); after = after.next())
    if (after.region_count() > 0 || after.is(LoopOp::Store)) return false;
  return true;
}

std::vector<OpRef> DeviceChecks::computed_for(OpRef check) const {
  std::unordered_set<OpId> needed;
  std::vector<OpRef> out, rest{check};
  while (!rest.empty()) {
    const OpRef last = rest.back();
    rest.pop_back();
    for (const Value v : last.operands()) {
      if (v.is_argument() || types_.kind(v.type()) == TypeKind::Buffer || !needed.insert(v.definer().id()).second)
        continue;
      rest.push_back(v.definer());
    }
  }
  for (OpRef before = check.previous(); before.valid() && out.size() < needed.size(); before = before.previous())
    if (needed.contains(before.id())) out.push_back(before);
  std::reverse(out.begin(), out.end());
  return out.size() == needed.size() ? out : std::vector<OpRef>{};
}

bool DeviceChecks::is_operand(OpRef op) const {
  if (!is_in_host_function() || op.region_count() > 0 || op.result_count() == 0 ||
      types_.kind(op.result().type()) == TypeKind::Buffer)
    return false;
  const auto users = op.result().users();
  return !users.empty() && std::all_of(users.begin(), users.end(), [&](OpRef user) {
    return user.is(LoopOp::Check) ? contains(user) : is_operand(user);
  });
}

}  // namespace mlgc::codegen
