// Sizes that copies of ops bind: an op that binds a size names it, and no two ops of a function may use one name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ir/clone.h"

namespace mlgc {

class FreshSizes {
 public:
  // Of a function; only this may bind new sizes in it from now on.
  explicit FreshSizes(OpRef function);

  // A symbol that nothing in the function speaks of: `<stem>0`, `<stem>1`, …
  [[nodiscard]] IndexExpr fresh(std::string_view stem);

  // As clone_ops() does, and sizes that the copies bind have new names in them. The answer is the copies, in order.
  std::vector<OpRef> copy(RegionRef source, Builder& target, ValueMap& map, bool without_terminator = false);

 private:
  Context* context_;
  std::unordered_set<std::string> taken_;
};

}  // namespace mlgc
