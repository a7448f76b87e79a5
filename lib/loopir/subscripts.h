// Brackets of ops: index expressions over values.
//
// The subscripts of an op (attribute kind Subscripts) are index expressions whose opaque atoms number its operands; the
// values that occur only there follow the definition's own operands, each once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ir/module.h"

namespace mlgc {

// The expressions in the brackets of an op; empty when it has none.
[[nodiscard]] std::span<const IndexExpr> subscripts_of(OpRef op);

// Expressions over values: opaque atoms are ids of values, so that those of several ops compare.
[[nodiscard]] IndexExpr of_value(Value v);
[[nodiscard]] IndexExpr over_values(OpRef op, IndexExpr e);
[[nodiscard]] std::vector<IndexExpr> subscripts_over_values(OpRef access);

// Makes the brackets of an op: expressions are built with atom(), then numbered() gives the attribute.
class SubscriptBuilder {
 public:
  // Values are appended to `operands`, which already holds the operands before the brackets.
  SubscriptBuilder(Context& context, std::vector<Value>& operands)
      : context_(&context), operands_(&operands), first_(operands.size()) {}
  // The atom that stands for the value.
  IndexExpr atom(Value value);
  // Numbers the values in the order in which the text form names them, so that it need not list them.
  [[nodiscard]] Attribute numbered(std::vector<IndexExpr> expressions);

 private:
  Context* context_;
  std::vector<Value>* operands_;
  std::size_t first_;
};

// Whether the operand is read in the op's brackets, and only there.
[[nodiscard]] bool is_in_subscripts(const Use& use);

// Puts `by`, whose opaque atoms number the operands of `owner`, in the place of a value in the brackets of `op`. What
// the brackets do not name any more is no operand afterwards. Precondition: every use of the value by `op` is
// is_in_subscripts().
void replace_in_subscripts(OpRef op, Value value, IndexExpr by, OpRef owner);

}  // namespace mlgc
