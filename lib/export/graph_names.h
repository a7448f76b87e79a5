// Names of values for notations that show the graph as it is.
#pragma once

#include <string>
#include <unordered_map>

#include "ir/module.h"

namespace mlgc {

// As the text form prints them, without %.
class GraphNames {
 public:
  explicit GraphNames(const Module& module);
  [[nodiscard]] std::string of(Value value) const;
  // The op within its function: its first result, after the names of the ops around it, as `b.then.half`.
  [[nodiscard]] std::string path(OpRef op) const;

 private:
  std::unordered_map<ValueId, std::string> names_;
};

}  // namespace mlgc
