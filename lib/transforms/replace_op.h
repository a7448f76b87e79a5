// What passes share that replace single ops by others.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "ir/function_facts.h"
#include "ir/module.h"
#include "ir/walk.h"

namespace mlgc {

// `y` takes the place of the op's only result, with its name and its type, and the op is erased. The types may differ
// in how they write equal sizes.
inline void replace_op(OpRef op, Value y) {
  const Value old = op.result();
  if (y.type() != old.type()) y.set_type(old.type());
  if (!old.name().empty()) y.set_name(old.name());
  old.replace_all_uses_with(y);
  op.erase();
}

// Calls `visit(op, i, facts)` for each op of the module whose name is names[i], in the order of the text; ends when
// it returns WalkResult::Stop. `visit` may replace the op.
template <typename Visit>
void for_each_named(Module& module, std::span<const std::string_view> names, Visit visit) {
  std::vector<OpRef> found;
  walk(module, [&](OpRef op) {
    if (std::find(names.begin(), names.end(), op.name()) != names.end()) found.push_back(op);
  });
  FunctionFacts facts;
  for (const OpRef op : found) {
    const auto i = static_cast<std::size_t>(std::find(names.begin(), names.end(), op.name()) - names.begin());
    if (visit(op, i, facts.of(op)) == WalkResult::Stop) return;
  }
}

}  // namespace mlgc
