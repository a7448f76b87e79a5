// What an operator sends back, derived from the row of the operator itself.
#include <array>

#include "formula/differentiate.h"
#include "formula/formula_parts.h"
#include "import/program/convert.h"
#include "ops/instantiate_op.h"

namespace mlgc::program {

std::vector<Value> emit_gradient(NodeScope& scope, std::string_view op, std::span<const DifferentiatedOperand> operands,
                                 const NodeScope::Attrs& attrs, std::span<const Value> cotangents,
                                 std::span<const std::size_t> wanted) {
  if (scope.failed()) return {};
  Context& context = scope.context();
  std::vector<Type> types;
  std::vector<Value> values;
  for (const DifferentiatedOperand& operand : operands) {
    types.push_back(operand.type);
    values.push_back(operand.value);
  }
  const Result<Formula, Diagnostic> formula =
      instantiate_op(context, context.find_op(op), types, scope.dict(attrs), scope.graph().facts());
  if (!formula) {
    scope.fail(formula.error());
    return {};
  }
  FormulaPool& pool = formulas(context);
  const std::vector<TensorId> targets(wanted.begin(), wanted.end());
  const Formula backward = gradient(pool, *formula, targets);
  values.insert(values.end(), cotangents.begin(), cotangents.end());
  MLGC_ASSERT(values.size() == backward.operand_count(), "a cotangent for each float result of " + std::string(op));
  values.resize(backward.tensors.size());
  for (const FormulaPart& part : formula_parts(pool, backward)) {
    std::vector<Value> read;
    for (const TensorId tensor : part.operands) {
      read.push_back(values[tensor.index()]);
      MLGC_ASSERT(read.back().valid(), std::string(op) + " is not linear in an operand without a value");
    }
    const OpRef step = scope.emit("compute", read, {{"formula", context.attributes().string(part.text)}});
    if (scope.failed()) return {};
    values[part.result.index()] = step.result();
  }
  std::vector<Value> gradients;
  for (const TensorId result : backward.results()) gradients.push_back(values[result.index()]);
  return gradients;
}

Value emit_gradient(NodeScope& scope, std::string_view op, DifferentiatedOperand operand, const NodeScope::Attrs& attrs,
                    Value cotangent) {
  constexpr std::array<std::size_t, 1> kFirst{0};
  const std::vector<Value> found =
      emit_gradient(scope, op, std::span(&operand, 1), attrs, std::span(&cotangent, 1), kFirst);
  return found.empty() ? Value() : found[0];
}

}  // namespace mlgc::program
