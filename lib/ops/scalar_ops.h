// The rows of the op table as scalar arithmetic. At the loop level `%3 = mul %1, %2 : f32` is the row `mul` applied to
// scalars: its formula at rank 0 is its meaning, so scalars have no ops of their own.
//
// Guarantee: the row found for a scalar function computes exactly that function of its operands in their order, which
// is read off its formula and not off its name.
#pragma once

#include <array>
#include <optional>

#include "diag/diagnostic.h"
#include "formula/formula.h"
#include "ir/module.h"
#include "support/result.h"

namespace mlgc {

class ScalarOps {
 public:
  // Looks at every row of the context's table.
  explicit ScalarOps(Context& context);

  // The row that computes the function; Opcode::Invalid when the table has none.
  [[nodiscard]] Opcode find(ScalarFn fn) const { return functions_[static_cast<std::size_t>(fn)]; }
  // The row that chooses: condition, value where true, value where false.
  [[nodiscard]] Opcode choice() const { return choice_; }

 private:
  std::array<Opcode, kScalarFnCount> functions_;
  Opcode choice_ = Opcode::Invalid;
};

// Those of a context, made on first use.
[[nodiscard]] const ScalarOps& scalar_ops(Context& context);

// The value of an op on scalars, as an expression of formulas(context) in which `Read` of tensor i stands for operand
// i. Nothing when the row has no formula, or one that loops. The diagnostic has no location.
[[nodiscard]] Result<std::optional<ExprId>, Diagnostic> scalar_value(Context& context, Opcode opcode,
                                                                     std::span<const Type> operands, AttrDict attrs);
// About how many additions take as long as the op; a choice counts as one. Nothing where it has no such value.
[[nodiscard]] std::optional<std::int64_t> scalar_cost(Context& context, Opcode opcode, std::span<const Type> operands,
                                                      AttrDict attrs);

}  // namespace mlgc
