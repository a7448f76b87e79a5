// Binds operands and attributes of a row to the parameters of a schema of ATen, whatever is known of them: of a run all
// of it (row_call.h), of a text the sizes may be expressions.
//
// Guarantees: every operand and every attribute of the op finds its place in the call, or the call is refused; an
// attribute that has none must have its default.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "formula/instantiate.h"
#include "ir/context.h"
#include "plugin/plugin.h"

namespace mlgc {

// A row with as many operands as the op has; attributes are those of check_attributes(), defaults filled in.
struct RowUse {
  Context& context;
  const OpDef& def;
  std::size_t operands;
  const AttrValues& attributes;
};

// Operands are their numbers, those of a list may be absent. std::monostate is `None`.
struct BoundOperand {
  std::size_t number;
};
using BoundOperands = std::vector<std::optional<std::size_t>>;
using BoundValue = std::variant<std::monostate, BoundOperand, BoundOperands, bool, IndexExpr, std::vector<IndexExpr>,
                                double, std::vector<double>, std::string, Dtype>;
struct BoundArgument {
  const AtenParameter* parameter;
  BoundValue value;
};
struct BoundCall {
  AtenOp op;
  std::vector<BoundArgument> arguments;  // in the order of the schema
};

// The first ATen call of the row that fits. Error: why none does.
[[nodiscard]] Result<BoundCall> bind_row(const TorchPlugin& plugin, const RowUse& use);

}  // namespace mlgc
