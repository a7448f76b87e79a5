// How many operands a definition of an op takes.
#pragma once

#include <cstddef>
#include <string>

#include "ir/op_def.h"

namespace mlgc {

struct OperandRange {
  explicit OperandRange(const OpDef& def);
  std::size_t least = 0, most = 0;
  bool variadic = false;
  [[nodiscard]] bool holds(std::size_t count) const { return count >= least && (variadic || count <= most); }
  [[nodiscard]] std::string text() const;
};

}  // namespace mlgc
