// What kind of node each op of a module is: by its row (pass/statistics.h), and where that cannot say, by what it
// reads.
//
// A read of a weight is data, a read of a state is memory; what is computed of sizes alone is shape.
#pragma once

#include <unordered_set>

#include "ir/module.h"
#include "pass/statistics.h"

namespace mlgc {

class NodeClasses {
 public:
  // One walk over the module, which must not change while classes are asked.
  explicit NodeClasses(const Module& module);
  [[nodiscard]] OpClass of(OpRef op) const;

 private:
  std::unordered_set<OpId> sizes_, states_;  // computed of sizes alone; reads of states
};

}  // namespace mlgc
