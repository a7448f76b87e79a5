// See gradient_rules.h.
#include "autodiff/gradient_rules.h"

#include <algorithm>

#include "formula/differentiate.h"
#include "formula/tangent.h"

namespace mlgc {

GradientRules::OpKey GradientRules::key_of(OpRef op) {
  std::vector<std::uint32_t> types;
  for (const Value operand : op.operands()) types.push_back(operand.type().id);
  return {static_cast<std::uint32_t>(op.opcode()), op.attrs().id, std::move(types)};
}

Formula GradientRules::formula_of(OpRef op) {
  std::vector<Type> types;
  for (const Value operand : op.operands()) types.push_back(operand.type());
  Result<Formula, Diagnostic> formula = instantiate_op(*context_, op.opcode(), types, op.attrs(), facts_);
  MLGC_ASSERT(formula.ok(), "an op of a verified module has a formula");
  return std::move(*formula);
}

const std::vector<std::size_t>& GradientRules::differentiable(OpRef op) {
  const auto [it, first] = differentiable_.try_emplace(key_of(op));
  if (!first) return it->second;
  for (const TensorId operand : differentiable_operands(formulas(*context_), formula_of(op)))
    if (operand.index() < op.operand_count()) it->second.push_back(operand.index());
  return it->second;
}

const GradientRules::Backward& GradientRules::derive(OpRef op, std::span<const std::size_t> results,
                                                     std::span<const std::size_t> wanted) {
  const auto [it, first] =
      backward_.try_emplace(BackwardKey(key_of(op), {results.begin(), results.end()}, {wanted.begin(), wanted.end()}));
  if (!first) return it->second;
  std::vector<Type> types;
  for (const Value operand : op.operands()) types.push_back(operand.type());
  it->second.gradient = row_gradient(*context_, op.opcode(), types, op.attrs(), facts_, results, wanted);
  it->second.steps = formula_steps(*context_, it->second.gradient.formula, StepNames::Rows);
  if (alter_) alter_(op, wanted, it->second.gradient.formula);
  return it->second;
}

const RowGradient& GradientRules::backward(OpRef op, std::span<const std::size_t> results,
                                           std::span<const std::size_t> wanted) {
  return derive(op, results, wanted).gradient;
}

const FormulaSteps& GradientRules::backward_steps(OpRef op, std::span<const std::size_t> results,
                                                  std::span<const std::size_t> wanted) {
  return derive(op, results, wanted).steps;
}

const GradientRules::Tangent& GradientRules::tangent(OpRef op, std::span<const std::size_t> wanted) {
  const auto [it, first] = tangents_.try_emplace({key_of(op), {wanted.begin(), wanted.end()}});
  if (!first) return it->second;
  FormulaPool& pool = formulas(*context_);
  const Formula formula = formula_of(op);
  const std::vector<TensorId> targets(wanted.begin(), wanted.end()), all = formula.results();
  Tangent& out = it->second;
  out.operands = formula.operand_count();
  for (const TensorId result : dependent_results(pool, formula, targets))
    out.results.push_back(static_cast<std::size_t>(std::find(all.begin(), all.end(), result) - all.begin()));
  out.steps =
      formula_steps(*context_, mlgc::tangent(pool, formula, targets, {.results_at_hand = true}), StepNames::Rows);
  return out;
}

}  // namespace mlgc
