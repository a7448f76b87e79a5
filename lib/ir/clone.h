// Copies ops and regions, within a module or into another one that shares the context. Linear time, no recursion.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "ir/builder.h"
#include "ir/module.h"

namespace mlgc {

// From values of the source to values of the target. Values that are not in the map stand for themselves; when source
// and target are different modules such a value is an InternalError.
class ValueMap {
 public:
  void set(Value from, Value to) { to_[from.id()] = to; }
  // An invalid handle when there is none.
  [[nodiscard]] Value find(Value from) const {
    const auto it = to_.find(from.id());
    return it == to_.end() ? Value() : it->second;
  }

 private:
  std::unordered_map<ValueId, Value> to_;
};

// Copies `op`, with everything inside its regions, to the insertion point of `target`; locations and names of values
// are kept, serials are new. The results, and all values inside, are added to the map. A symbol keeps its name: the
// caller renames the copy.
OpRef clone(OpRef op, Builder& target, ValueMap& map);
OpRef clone(OpRef op, Builder& target);

// Copies the ops of `source` to the insertion point of `target`. Its arguments must be in the map. With
// `without_terminator` a terminator is left out, and the caller maps its operands.
void clone_ops(RegionRef source, Builder& target, ValueMap& map, bool without_terminator = false);

// Copies a function under another name to the end of the module's body.
OpRef clone_function(OpRef func, Module& target, std::string_view name);

}  // namespace mlgc
