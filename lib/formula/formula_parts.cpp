// Taking formulas apart, statement by statement.
#include "formula/formula_parts.h"

#include <algorithm>

#include "formula/instantiate.h"

namespace mlgc {

namespace {

FormulaPart part_of(FormulaPool& pool, const Formula& from, const Statement& statement) {
  std::vector<TensorId> operands;
  const auto number = [&](TensorId tensor) {
    const auto it = std::find(operands.begin(), operands.end(), tensor);
    if (it != operands.end()) return TensorId(static_cast<std::size_t>(it - operands.begin()));
    operands.push_back(tensor);
    return TensorId(operands.size() - 1);
  };
  FormulaPool::Rewrite rewrite;
  rewrite.reads = [&](ExprId read, const ReadParts& parts) {
    return pool.read(pool.type(read), number(parts.tensor), parts.subscripts, parts.fill);
  };
  Statement copy = statement;
  copy.body = pool.rewrite(statement.body, rewrite);
  if (statement.guard.valid()) copy.guard = pool.rewrite(statement.guard, rewrite);
  for (IndexExpr& subscript : copy.subscripts) subscript = pool.rewrite(subscript, rewrite);
  if (statement.base.valid()) copy.base = number(statement.base);
  Formula formula;
  formula.label_names = from.label_names;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const FormulaTensor& tensor = from.tensor(operands[i]);
    formula.add_tensor({"x" + std::to_string(i), TensorRole::Operand, tensor.dtype, tensor.shape});
  }
  const FormulaTensor& result = from.tensor(statement.result);
  copy.result = formula.add_tensor({"y", TensorRole::Result, result.dtype, result.shape});
  formula.statements.push_back(copy);
  return {print_formula(pool, formula), std::move(operands), statement.result};
}

}  // namespace

std::vector<FormulaPart> formula_parts(FormulaPool& pool, const Formula& formula) {
  std::vector<FormulaPart> parts;
  parts.reserve(formula.statements.size());
  for (const Statement& statement : formula.statements) parts.push_back(part_of(pool, formula, statement));
  return parts;
}

}  // namespace mlgc
