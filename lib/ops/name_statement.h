// The row that computes what a statement says, where one does: `y[i, j] = x0[i, j]*x1[i, j]` is `mul`, a contraction
// `matmul` or `einsum`. So derived gradients read like programs, and code that knows the rows (rules, the comparison
// with PyTorch) applies to them too.
//
// Guarantee: the row's formula for these operands and attributes is the statement, up to the names of index labels.
// Rows are proposed by the shape of the statement and accepted by this comparison alone.
#pragma once

#include <optional>
#include <vector>

#include "formula/formula.h"
#include "ir/context.h"

namespace mlgc {

struct NamedStatement {
  Opcode opcode = Opcode::Invalid;  // Invalid: the statement only copies its operand
  AttrDict attrs;
  std::vector<TensorId> operands;  // of the formula
};

[[nodiscard]] std::optional<NamedStatement> name_statement(Context& context, const Formula& formula,
                                                           const Statement& statement);

}  // namespace mlgc
