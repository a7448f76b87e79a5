// See backward_slice.h.
#include "analysis/backward_slice.h"

#include "ir/walk.h"

namespace mlgc {

std::vector<Value> values_read(OpRef op) {
  std::vector<Value> values;
  walk(op, [&](OpRef inner) {
    for (const Value operand : inner.operands())
      if (operand.scope() == op.parent()) values.push_back(operand);
  });
  return values;
}

std::unordered_set<OpId> backward_slice(std::span<const Value> values, std::span<const OpRef> roots,
                                        const std::function<bool(OpRef)>& enter) {
  std::unordered_set<OpId> ops;
  std::vector<OpRef> open(roots.begin(), roots.end());
  const auto visit = [&](Value value) {
    if (value.is_result() && (!enter || enter(value.definer()))) open.push_back(value.definer());
  };
  for (const Value value : values) visit(value);
  while (!open.empty()) {
    const OpRef op = open.back();
    open.pop_back();
    if (!ops.insert(op.id()).second) continue;
    for (const Value value : values_read(op)) visit(value);
  }
  return ops;
}

}  // namespace mlgc
