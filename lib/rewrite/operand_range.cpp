// See operand_range.h.
#include "rewrite/operand_range.h"

namespace mlgc {

OperandRange::OperandRange(const OpDef& def) : most(def.operands.size()) {
  for (const OperandDef& operand : def.operands) {
    variadic = variadic || operand.variadic;
    if (!operand.optional && !operand.variadic) ++least;
  }
}

std::string OperandRange::text() const {
  if (variadic) return "at least " + std::to_string(least);
  return least == most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace mlgc
