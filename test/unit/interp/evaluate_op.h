// One op of a row on host tensors, for tests of the reference interpreter.
#pragma once

#include <string_view>
#include <vector>

#include "interp/evaluate_formula.h"
#include "ops/example.h"
#include "ops/instantiate_op.h"
#include "ops/op_table.h"
#include "support_catch.h"

namespace mlgc::test {

// All results; operands that are left out at the end are absent. The row must take the operands.
inline std::vector<Tensor> evaluate_op(Context& context, std::string_view op, const std::vector<Tensor>& operands,
                                       std::string_view attributes, Precision precision = Precision::Native) {
  std::vector<Type> types;
  for (const Tensor& t : operands) {
    std::vector<IndexExpr> dims;
    for (std::int64_t d : t.shape()) dims.push_back(context.index().constant(d));
    types.push_back(context.types().tensor(t.dtype(), dims));
  }
  const auto attrs = parse_example_attributes(context, *find_op_def(op), attributes);
  REQUIRE(attrs);
  const auto formula = instantiate_op(context, context.find_op(op), types, *attrs);
  if (!formula) FAIL(formula.error().message());
  std::vector<Tensor> given = operands;
  given.resize(formula->operand_count(), Tensor::zeros(Dtype::F32, {}));
  auto results = evaluate(formulas(context), *formula, given, {precision});
  if (!results) FAIL(results.error().message());
  return *results;
}

}  // namespace mlgc::test
